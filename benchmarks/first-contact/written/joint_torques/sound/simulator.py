"""A planar arm with randomised masses and joint friction, driven along smooth reference trajectories."""
import numpy as np

GRAVITY = 9.81


class ArmDomain:
    """One draw of the physical parameters that differ between real arms of the same make."""

    def __init__(self, settings, rng):
        spread = settings.mass_spread
        self.masses = np.linspace(2.0, 0.6, settings.joints) * rng.uniform(1 - spread, 1 + spread, settings.joints)
        self.friction = rng.uniform(*settings.friction_range, settings.joints)
        self.lengths = np.linspace(0.4, 0.2, settings.joints)

    def torques(self, q, qd, qdd):
        inertia = self.masses * self.lengths**2
        coupled = inertia * qdd + 0.3 * np.roll(inertia * qdd, 1, axis=-1)
        weight = self.masses * GRAVITY * self.lengths * np.cos(np.cumsum(q, axis=-1))
        return coupled + weight + self.friction * np.tanh(8.0 * qd)


class Simulator:
    """Streams of rollouts: one that is randomised anew in each epoch, and a held-out one."""

    def __init__(self, settings):
        self.settings = settings
        sequence = np.random.SeedSequence(settings.seed)
        self.streams = dict(zip(("train", "heldout"), map(np.random.default_rng, sequence.spawn(2))))

    def rollout(self, rng):
        s = self.settings
        domain = ArmDomain(s, rng)
        t = np.linspace(0.0, 2.0, s.horizon)[:, None]
        amplitude = rng.uniform(0.3, 1.2, s.joints)
        omega = rng.uniform(1.0, 4.0, s.joints)
        phase = rng.uniform(0.0, np.pi, s.joints)
        q = amplitude * np.sin(omega * t + phase)
        qd = amplitude * omega * np.cos(omega * t + phase)
        qdd = -amplitude * omega**2 * np.sin(omega * t + phase)
        tau = domain.torques(q, qd, qdd)
        measured = q + rng.normal(0.0, s.encoder_noise, q.shape)
        return np.hstack([np.sin(measured), np.cos(measured), qd, qdd / 10.0]), tau

    def sample(self, stream, rollouts=None):
        rng = self.streams[stream]
        pairs = [self.rollout(rng) for _ in range(rollouts or self.settings.rollouts)]
        inputs, targets = (np.concatenate(part).astype(np.float32) for part in zip(*pairs))
        return inputs, targets
