"""The numbers of "Circuit Representations of Random Forests with Applications to XAI", by data set.

Its forests were trained by WEKA (floor(log2 F) + 1 features a split, depth 4) and compiled in Python on a Xeon E5-2670.
Seconds are means over instances or classes as the columns say.
"""

from __future__ import annotations

Rows = dict[str, dict[str, float]]


def _rows(columns: tuple[str, ...], numbers: dict[str, tuple[float, ...]]) -> Rows:
    return {name: dict(zip(columns, values, strict=True)) for name, values in numbers.items()}


# Table 1: trees, nodes of the forest, nodes and seconds of the circuits of all classes; an ADD of the forest.
ALGORITHM_3 = _rows(
    ("trees", "forest_nodes", "nnf_nodes", "nnf_s", "add_nodes", "add_s"),
    {
        "ann-thyroid": (25, 527, 3529, 0.2, 210832, 46.4),
        "appendicitis": (50, 630, 1792, 0.07, 1118961, 444.73),
        "banknote": (100, 1996, 5887, 0.2, 57066, 64.39),
        "ecoli": (100, 1117, 83106, 7.11, 1109022, 3296.77),
        "glass2": (25, 465, 965, 0.04, 420024, 39.84),
        "ionosphere": (15, 53, 504, 0.01, 264003, 689.35),
        "iris": (100, 1084, 25125, 2.05, 1802, 2.58),
        "magic": (25, 755, 1370, 0.06, 628529, 77.61),
        "mofn-3-7-10": (100, 2904, 4100, 0.21, 15, 0.16),
        "new-thyroid": (100, 1298, 26188, 2.35, 94747, 149.06),
        "phoneme": (100, 2870, 6199, 0.3, 1410646, 1788),
        "ring": (25, 615, 641, 0.02, 190706, 150.6),
        "segment": (15, 337, 8734, 0.55, 9216490, 1630.89),
        "shuttle": (50, 1294, 59899, 5.13, 477618, 324.88),
        "threeOf9": (100, 2830, 4680, 0.25, 3, 0.12),
        "twonorm": (15, 465, 835, 0.01, 9286188, 2246.47),
        "waveform-21": (15, 465, 2202, 0.08, 33892041, 593.29),
        "wine-recognition": (25, 403, 3836, 0.24, 9124186, 2544.07),
        "xd6": (100, 2858, 4610, 0.2, 46, 0.22),
    },
)

# Table 2: per class, Algorithm 3 and the conjunction of decision graphs of Algorithm 3B.
CONJUNCTIONS = _rows(
    ("trees", "forest_nodes", "nnf_nodes", "nnf_s", "nodes_3b", "s_3b"),
    {
        "ann-thyroid": (100, 2092, 9407.3, 0.7, 293176, 2227.6),
        "appendicitis": (100, 1292, 2298, 0.1, 310011, 2056.3),
        "banknote": (100, 1996, 3079.5, 0.1, 1782.5, 14.4),
        "ecoli": (50, 1310, 7248, 0.6, 37856.8, 191.6),
        "glass2": (50, 932, 1190.5, 0.1, 402211, 1539.4),
        "ionosphere": (16, 270, 288, 0.1, 581794.5, 454.7),
        "iris": (100, 1084, 8851, 0.7, 118.7, 3.9),
        "magic": (32, 968, 1001, 0.1, 437863.5, 502),
        "mofn-3-7-10": (100, 2904, 2061.5, 0.1, 22, 0.5),
        "new-thyroid": (100, 1298, 9423.3, 0.8, 10634, 167.6),
        "phoneme": (64, 1816, 1848.5, 0.1, 46576.5, 287.9),
        "ring": (25, 615, 321.5, 0.1, 206400.5, 511.9),
        "segment": (12, 272, 1276.7, 0.1, 270979.1, 115.7),
        "shuttle": (50, 1294, 9987, 0.7, 29636.7, 125.9),
        "threeOf9": (100, 2830, 2354.5, 0.1, 39, 1.1),
        "twonorm": (10, 310, 299, 0.1, 195234.5, 73.8),
        "waveform-21": (9, 279, 551.3, 0.1, 341053, 156.1),
        "wine-recognition": (25, 403, 1576, 0.1, 2560010.7, 3154.9),
        "xd6": (100, 2858, 2317.5, 0.1, 42.5, 1.7),
    },
)

# Table 3: seconds and counts of an instance"s sufficient, necessary and shortest general necessary reasons.
REASONS = _rows(
    ("trees", "sr_s", "n_sr", "nr_s", "n_nr", "robustness", "sgnr_s", "n_sgnr"),
    {
        "ann-thyroid": (100, 0.0281, 3.5, 0.009, 3.58, 1.25, 0.1906, 1.87),
        "appendicitis": (100, 0.01, 6.44, 0.0037, 8.69, 1.88, 1.9259, 19.75),
        "banknote": (100, 0.0001, 1.09, 0.0001, 1.85, 1, 0.0094, 1.75),
        "ecoli": (50, 0.0001, 2.08, 0.0001, 3.76, 1, 0.0268, 2.24),
        "glass2": (50, 0.0035, 5.46, 0.0015, 7.83, 1.21, 0.4143, 5.75),
        "ionosphere": (16, 77.2518, 761, 2.863, 777.89, 1.73, 0.1581, 7.69),
        "iris": (100, 0.0001, 1, 0.0001, 1.59, 1, 0.0014, 1.68),
        "magic": (32, 0.0376, 5.97, 0.0105, 8.55, 1.19, 0.5213, 10.12),
        "mofn-3-7-10": (100, 0.0001, 3.98, 0.0001, 3.58, 1.9, 0.0001, 2.55),
        "new-thyroid": (100, 0.0001, 1.59, 0.0001, 2.72, 1.06, 0.0098, 2.5),
        "phoneme": (64, 0.0004, 2.88, 0.0002, 3.3, 1.42, 0.1229, 7.17),
        "ring": (25, 7.3803, 132.04, 1.1468, 236.86, 1.21, 0.0165, 3.19),
        "segment": (12, 0.3216, 28.91, 0.0716, 38.91, 1.24, 0.4629, 6.94),
        "shuttle": (50, 0.0015, 3.78, 0.0007, 5.37, 1.15, 0.0351, 3.11),
        "threeOf9": (100, 0.0001, 2.75, 0.0001, 4.35, 1.16, 0.0001, 2.68),
        "twonorm": (10, 3.0597, 122.36, 0.2581, 125.24, 1.66, 0.1566, 9.3),
        "waveform-21": (9, 0.7104, 44.62, 0.1132, 48.27, 1.28, 0.0321, 4.53),
        "wine-recognition": (25, 1.2963, 40.33, 0.326, 44.96, 1.41, 3.7344, 7.59),
        "xd6": (100, 0.0003, 4.62, 0.0001, 4.83, 1.29, 0.0001, 3.02),
    },
)

# Table 4: Algorithm 3A beside 3B, and contrastive explanations, for sets of more than two classes.
GRAPHS = _rows(
    ("trees", "s_3b", "more_s_3a", "nodes_3b", "nodes_3a", "nr_s", "n_nr", "ce_s", "n_ce"),
    {
        "ann-thyroid": (100, 2227.6, 20.1, 293176, 220347, 0.009, 3.58, 0.0023, 3.96),
        "ecoli": (50, 191.6, 1.4, 37856.8, 13483.6, 0.0001, 3.76, 0.0001, 2.81),
        "new-thyroid": (100, 167.6, 0.1, 10634, 4940.7, 0.0001, 2.72, 0.0001, 2.5),
        "segment": (12, 115.7, 48.7, 270979.1, 184414.9, 0.0716, 38.91, 0.0598, 49.4),
        "shuttle": (50, 125.9, 1.1, 29636.9, 12777.7, 0.0007, 5.37, 0.0002, 2.76),
        "waveform-21": (9, 156.1, 27.2, 341053, 190343.7, 0.1132, 48.27, 0.0898, 96.16),
        "wine-recognition": (25, 3154.9, 125.2, 2560010.7, 1506961.7, 0.326, 44.96, 0.2514, 38.87),
    },
)
