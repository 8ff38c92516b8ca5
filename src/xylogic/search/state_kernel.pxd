cdef class State:
    cdef readonly object arrays
    cdef object budget
    # forest (see search/forest.py)
    cdef Py_ssize_t n_nodes, n_trees, n_listed, n_pairs, n_leaves
    cdef int n_features, n_tests, n_words
    cdef int *node_feature
    cdef int *node_cut
    cdef int *node_missing
    cdef int *node_set
    cdef int *node_left
    cdef int *node_right
    cdef int *node_end
    cdef int *node_tree
    cdef int *node_test
    cdef int *root
    cdef int *is_small
    cdef int *leaf_at
    cdef int *is_set
    cdef int *n_values
    cdef int *has_missing
    cdef int *n_set_words
    cdef int *word_at
    cdef int *state_at
    cdef int *list_at
    cdef int *listed
    cdef int *list_tree
    cdef int *start_at
    cdef int *start
    cdef int *pair_at
    cdef int *pair_tree
    cdef bint has_all_pairs
    cdef int *node_pair
    cdef unsigned long long *every_word
    cdef unsigned long long *set_words
    # games (see search/games.py)
    cdef int n_games, n_constraints, n_scores, max_constraints
    cdef int *game_at
    cdef unsigned long long *leaves
    cdef unsigned long long *all_leaves
    cdef unsigned long long *left_of
    cdef unsigned long long *right_of
    cdef long long *ranked
    cdef long long *low_below
    cdef long long *high_below
    cdef long long *sure
    cdef long long *never
    cdef int *plus
    cdef int *minus
    cdef int *strict
    cdef double *level
    cdef double *score
    cdef double *base
    cdef double divisor
    # instance
    cdef int *x
    cdef unsigned long long *kept
    cdef int *witness
    cdef int *point
    cdef unsigned long long *single
    # current box
    cdef int *lo
    cdef int *hi
    cdef int *missing
    cdef unsigned long long *words
    # current leaves of every tree
    cdef int n_active
    cdef Py_ssize_t first
    cdef unsigned long long *mask
    cdef long long *low
    cdef long long *high
    cdef long long *low_sum
    cdef long long *high_sum
    # a node of every tree that all its reachable leaves lie below: the lowest one if >= 0, else ~at is some such node
    cdef int *at
    cdef int *stamp
    cdef int *changed
    cdef int n_changed, epoch
    cdef int *stack
    cdef long long *votes
    cdef int *touched
    cdef double *sums
    # undo
    cdef long long trail_top, trail_room, box_top, box_room, word_top, word_room, frame_top, frame_room
    cdef int *trail_tree
    cdef int *trail_at
    cdef unsigned long long *trail_mask
    cdef long long *trail_low
    cdef long long *trail_high
    cdef int *box_feature
    cdef int *box_lo
    cdef int *box_hi
    cdef int *box_missing
    cdef unsigned long long *word_trail
    cdef long long *frame_trail
    cdef long long *frame_box
    cdef int *frame_node
    cdef int *frame_side
    # cost of a change, by state
    cdef bint has_kept, has_own  # whether what depends on the instance is laid out
    cdef bint priced
    cdef double *cost
    cdef double *step
    cdef int *next_up
    cdef int *next_down
    cdef double *box_cost
    cdef double *gain
    cdef double *pace
    cdef double *bonus
    cdef int *loose
    cdef int *noted
    cdef int *noted_feature
    # domain of free features
    cdef int *domain_lo
    cdef int *domain_hi
    cdef int *domain_missing
    cdef unsigned long long *domain_words
    cdef int *restricted
    # effort
    cdef readonly long long nodes
    cdef long long unchecked

    cdef _grow_trail(self)
    cdef _grow_box(self)
    cdef _grow_words(self)
    cdef _grow_frames(self)
