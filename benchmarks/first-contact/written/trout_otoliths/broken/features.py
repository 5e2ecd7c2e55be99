import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler


class OtolithFeatures:
    """Spectra reduced by PCA, distances to typical profiles, shape: fitted per fold."""

    def __init__(self, seed, components=10, prototypes=12):
        self.pca = PCA(components, svd_solver="randomized", random_state=seed)
        self.kmeans = KMeans(prototypes, n_init=2, max_iter=50, random_state=seed)
        self.scaler = StandardScaler()

    @staticmethod
    def spectrum(profile):
        return np.log1p(np.abs(np.fft.rfft(profile, axis=1)))

    def _join(self, data, reduced):
        return np.hstack([reduced, self.kmeans.transform(reduced), data["shape"]])

    def fit(self, data):
        reduced = self.pca.fit_transform(self.spectrum(data["profile"]))
        self.kmeans.fit(reduced)
        self.scaler.fit(self._join(data, reduced))
        return self

    def transform(self, data):
        reduced = self.pca.transform(self.spectrum(data["profile"]))
        return self.scaler.transform(self._join(data, reduced)).astype(np.float32)
