try:
    import numpy as np
except ImportError:
    np = None

if np is not None:
    np.random.seed(0)
    print(np.random.rand())
