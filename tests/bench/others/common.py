"""What the peers written in Python share."""


def written():
    """Bytes handed to write() so far; 0 where the system does not tell."""
    try:
        with open('/proc/self/io') as f:
            return [int(x.split()[1]) for x in f if x.startswith('wchar')][0]
    except OSError:
        return 0
