"""Groups texts of similar length, so that little of a batch is padding."""


def sorted_batches(lengths, size):
    """Lists of at most `size` indices, the longest texts first."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    return [order[begin:begin + size] for begin in range(0, len(order), size)]
