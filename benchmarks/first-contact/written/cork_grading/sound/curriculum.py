"""How strongly training images are disturbed, shared with the loader's worker processes."""
import multiprocessing as mp


class Curriculum:
    def __init__(self, start, end, total):
        self.start, self.end, self.total = start, end, total
        self._value = mp.Value("d", start)

    def advance(self, done):
        """Ramp linearly from start to end while `done` goes from 0 to total."""
        with self._value.get_lock():
            self._value.value = self.start + (self.end - self.start) * min(done / self.total, 1.0)

    def strength(self):
        with self._value.get_lock():
            return self._value.value
