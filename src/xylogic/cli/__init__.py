"""The command line: parse, call, print."""


def main() -> int:
    """Entry point of ``xylogic``; the exit code is 0 yes or done, 1 a negative verdict, 2 unusable input, 3 budget."""
    from xylogic.cli.app import run

    return run()
