"""What an interactive page knows of a run: poses and contacts over time, as compact arrays."""

import base64

import numpy as np

MOST_NUMBERS = 700_000  # of all tracks, and of all contacts: some 4 MB each in a page


def packed(values, kind="<f4"):
    """Numbers as text: base64 of their little-endian bytes."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def chosen_samples(results, moving):
    """Samples that a page shows, evenly spread: all of them where they fit."""
    count = results.time.size
    patches = results["patches/time_index"].size if "patches/time_index" in results else 0
    numbers = max(7 * len(moving) * count, 13 * patches)
    stride = max(1, int(np.ceil(numbers / MOST_NUMBERS)))
    chosen = np.arange(0, count, stride)
    return chosen if chosen[-1] == count - 1 else np.append(chosen, count - 1)


def track(results, body, samples):
    """x, y, z, w, x, y, z of a body at samples; quaternions do not jump between their two signs."""
    position = results[f"bodies/{body}/position"][samples]
    turn = results[f"bodies/{body}/orientation"][samples].copy()
    flips = np.cumprod(np.where((turn[1:] * turn[:-1]).sum(axis=1) < 0, -1, 1))
    turn[1:] *= flips[:, None]
    return np.hstack([position, turn])


def patch_axes(normal, volume, inertia, area):
    """The semi-axes of ellipses of uniform thickness that have the patches' second moments in the
    plane across the normal: two arrays of vectors, the longer first [m]; and the share of them that
    is a hole. Patches of less than three quarters of such an ellipse's area are rings of their area
    and moments, as MarkOfPatch has them."""
    J = inertia.reshape(-1, 3, 3)
    moments = 0.5 * np.trace(J, axis1=1, axis2=2)[:, None, None] * np.eye(3) - J
    across = np.eye(3) - normal[:, :, None] * normal[:, None, :]
    values, vectors = np.linalg.eigh(across @ moments @ across)
    lengths = 2 * np.sqrt(np.maximum(values, 0) / volume[:, None])
    full = np.pi * lengths[:, 2] * lengths[:, 1]
    ratio = np.divide(area, full, out=np.ones_like(full), where=full > 0)
    hole = np.where(ratio < 0.75, np.sqrt(np.maximum(0, (1 - ratio) / (1 + ratio))), 0)[:, None]
    lengths /= np.sqrt(1 + hole**2)
    return vectors[:, :, 2] * lengths[:, 2:], vectors[:, :, 1] * lengths[:, 1:2], hole


def contacts(results, samples):
    """Contacts of the samples: where each sample's rows begin, and rows of centroid, force on the
    body that moves, two semi-axes, the force's size and the share of the semi-axes that is a hole."""
    if "patches/time_index" not in results or results["patches/time_index"].size == 0:
        return {"first": packed(np.zeros(samples.size + 1), "<i4"), "rows": "", "largest_force": 1.0}
    index = results["patches/time_index"].ravel().astype(int)
    volume = results["patches/volume"].ravel()
    keep = np.isin(index, samples) & (volume > 0)
    column = lambda name: results[f"patches/{name}"][keep]
    normal = column("normal").reshape(-1, 3)
    area = np.linalg.norm(column("area_vector").reshape(-1, 3), axis=1)
    first, second, hole = patch_axes(normal, volume[keep], column("inertia"), area)
    fixed = np.array([bool(results.scene["bodies"][name].get("fixed")) for name in results.bodies()])
    sign = np.where(fixed[column("body_i").ravel().astype(int)], -1.0, 1.0)
    force = column("force").reshape(-1, 3) * sign[:, None]
    size = np.linalg.norm(force, axis=1)
    rows = np.hstack([column("centroid").reshape(-1, 3), force, first, second, size[:, None], hole])
    begin = np.searchsorted(index[keep], np.append(samples, results.time.size))
    return {"first": packed(begin, "<i4"), "rows": packed(rows),
            "largest_force": float(size.max()) if size.size and size.max() > 0 else 1.0}
