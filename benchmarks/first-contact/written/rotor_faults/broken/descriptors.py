"""Scalar descriptors of one window of an accelerometer signal."""
import numpy as np

from registry import Descriptor, descriptor


def spectrum(signal, rate):
    power = np.abs(np.fft.rfft(signal * np.hanning(len(signal)))) ** 2
    return np.fft.rfftfreq(len(signal), 1.0 / rate), power / power.sum()


@descriptor("g")
class RMS(Descriptor):
    def __call__(self, signal, rate):
        return np.sqrt(np.mean(signal ** 2))


@descriptor("g")
class Peak(Descriptor):
    def __call__(self, signal, rate):
        return np.abs(signal).max()


@descriptor()
class Crest(Descriptor):
    def __call__(self, signal, rate):
        return np.abs(signal).max() / np.sqrt(np.mean(signal ** 2))


@descriptor()
class Kurtosis(Descriptor):
    def __call__(self, signal, rate):
        z = signal - signal.mean()
        return np.mean(z ** 4) / np.mean(z ** 2) ** 2


@descriptor()
class Skewness(Descriptor):
    def __call__(self, signal, rate):
        z = signal - signal.mean()
        return np.mean(z ** 3) / np.mean(z ** 2) ** 1.5


@descriptor()
class ZeroCrossings(Descriptor):
    def __call__(self, signal, rate):
        return np.mean(signal[1:] * signal[:-1] < 0)


@descriptor("Hz")
class Centroid(Descriptor):
    def __call__(self, signal, rate):
        frequency, power = spectrum(signal, rate)
        return (frequency * power).sum()


@descriptor("Hz")
class Bandwidth(Descriptor):
    def __call__(self, signal, rate):
        frequency, power = spectrum(signal, rate)
        return np.sqrt((power * (frequency - (frequency * power).sum()) ** 2).sum())


@descriptor("Hz")
class Dominant(Descriptor):
    def __call__(self, signal, rate):
        frequency, power = spectrum(signal, rate)
        return frequency[power.argmax()]


@descriptor("nat")
class Entropy(Descriptor):
    def __call__(self, signal, rate):
        _, power = spectrum(signal, rate)
        return -(power * np.log(power + 1e-12)).sum()


@descriptor()
class LowBand(Descriptor):
    def __call__(self, signal, rate):
        frequency, power = spectrum(signal, rate)
        return power[frequency < 80].sum()


@descriptor()
class HighBand(Descriptor):
    def __call__(self, signal, rate):
        frequency, power = spectrum(signal, rate)
        return power[frequency > 300].sum()


@descriptor("g")
class Jerk(Descriptor):
    def __call__(self, signal, rate):
        return np.abs(np.diff(signal)).mean()


@descriptor("g")
class Envelope(Descriptor):
    def __call__(self, signal, rate):
        return np.convolve(np.abs(signal), np.ones(16) / 16, mode="valid").std()


@descriptor()
class Lag(Descriptor):
    def __call__(self, signal, rate):
        return np.corrcoef(signal[8:], signal[:-8])[0, 1]


@descriptor()
class Impulse(Descriptor):
    def __call__(self, signal, rate):
        return np.abs(signal).max() / np.abs(signal).mean()


@descriptor()
class Shape(Descriptor):
    def __call__(self, signal, rate):
        return np.sqrt(np.mean(signal ** 2)) / np.abs(signal).mean()


@descriptor()
class Clearance(Descriptor):
    def __call__(self, signal, rate):
        return np.abs(signal).max() / np.mean(np.sqrt(np.abs(signal))) ** 2


@descriptor("g")
class Spread(Descriptor):
    def __call__(self, signal, rate):
        return np.subtract(*np.percentile(signal, [75, 25]))


@descriptor("g")
class Median(Descriptor):
    def __call__(self, signal, rate):
        return np.median(np.abs(signal))


@descriptor()
class Turns(Descriptor):
    def __call__(self, signal, rate):
        slope = np.diff(signal)
        return np.mean(slope[1:] * slope[:-1] < 0)


@descriptor("g")
class Rectified(Descriptor):
    def __call__(self, signal, rate):
        return np.maximum(signal, 0).mean()
