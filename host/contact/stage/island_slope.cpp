#include "host/contact/stage/island_slope.h"

#include <algorithm>

#include "cuda/device/executor.h"

namespace intervox::host::internal {
namespace {

constexpr int kGrain = 256;  // contacts that go to a thread together

Vec3 VectorAt(const double* x) { return {x[0], x[1], x[2]}; }

void AddTo(double* y, const Vec3& linear, const Vec3& angular) {
  for (int i = 0; i < 3; ++i) {
    y[i] += linear[i];
    y[3 + i] += angular[i];
  }
}

/** Turns counts, two places behind what they count, into where each begins, one place behind. */
void SumCounts(std::vector<int>* first) {
  for (std::size_t k = 2; k < first->size(); ++k) (*first)[k] += (*first)[k - 1];
}

}  // namespace

bool IslandSlope::Begin(std::span<const BodyPair> contacts, std::span<const IslandBody> bodies,
                        std::span<const int> order, int part, int threads) {
  bodies_.resize(bodies.size());
  cuda::ForEach(bodies.size(), kGrain, threads,
                [&](std::size_t p) { bodies_[p] = bodies[static_cast<std::size_t>(order[p])]; });
  if (part == part_ && std::equal(order.begin(), order.end(), order_.begin(), order_.end()) &&
      std::equal(contacts.begin(), contacts.end(), contacts_.begin(), contacts_.end())) {
    return false;
  }
  part_ = part;
  order_.assign(order.begin(), order.end());
  contacts_.assign(contacts.begin(), contacts.end());
  place_.resize(bodies.size());
  for (std::size_t p = 0; p < order.size(); ++p) {
    place_[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
  }
  SortContacts();
  pattern_.Set(static_cast<int>(bodies.size()), pairs_);
  ListSides();
  FindBlocks(threads);
  return true;
}

/** Finds the block that each contact of a body adds to beside the diagonal. */
void IslandSlope::FindBlocks(int threads) {
  cuda::ForEach(bodies_.size(), kGrain, threads, [&](std::size_t at) {
    const int p = static_cast<int>(at);
    for (int k = side_first_[at]; k < side_first_[at + 1]; ++k) {
      Side& side = sides_[static_cast<std::size_t>(k)];
      const int other = slopes_[static_cast<std::size_t>(side.slope)].at[1 - side.side];
      side.block = other < 0 ? -1 : pattern_.Find(p, other) - pattern_.start[at];
    }
  });
}

/** Sorts the contacts by the first place of their bodies, and lists those that reach from one part
 into another. */
void IslandSlope::SortContacts() {
  const auto places = [&](std::size_t c) {
    const auto of = [&](int body) {
      return body < 0 ? -1 : place_[static_cast<std::size_t>(body)];
    };
    return std::array<int, 2>{of(contacts_[c].i), of(contacts_[c].j)};
  };
  const auto acts = [&](std::size_t c, const std::array<int, 2>& at) {
    return contacts_[c].acts && std::max(at[0], at[1]) >= 0;
  };
  const auto first_of = [](const std::array<int, 2>& at) {
    return std::min(at[0], at[1]) >= 0 ? std::min(at[0], at[1]) : std::max(at[0], at[1]);
  };
  const std::size_t parts =
      (bodies_.size() + static_cast<std::size_t>(part_) - 1) / static_cast<std::size_t>(part_);
  first_.assign(bodies_.size() + 2, 0);
  second_first_.assign(parts + 2, 0);
  pairs_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const std::array<int, 2> at = places(c);
    if (!acts(c, at)) continue;
    ++first_[static_cast<std::size_t>(first_of(at)) + 2];
    if (std::min(at[0], at[1]) < 0) continue;
    pairs_.push_back(at);
    const int last = std::max(at[0], at[1]) / part_;
    if (first_of(at) / part_ != last) ++second_first_[static_cast<std::size_t>(last) + 2];
  }
  SumCounts(&first_);
  SumCounts(&second_first_);
  const auto count = static_cast<std::size_t>(first_.back());
  slopes_.resize(count);
  number_.resize(count);
  slope_of_.assign(contacts_.size(), -1);
  second_.resize(static_cast<std::size_t>(second_first_.back()));
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const std::array<int, 2> at = places(c);
    if (!acts(c, at)) continue;
    const int k = first_[static_cast<std::size_t>(first_of(at)) + 1]++;
    number_[static_cast<std::size_t>(k)] = static_cast<int>(c);
    slope_of_[c] = k;
    std::copy(at.begin(), at.end(), slopes_[static_cast<std::size_t>(k)].at);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const int *at = slopes_[k].at, last = std::max(at[0], at[1]) / part_;
    if (std::min(at[0], at[1]) < 0 || std::min(at[0], at[1]) / part_ == last) continue;
    second_[static_cast<std::size_t>(second_first_[static_cast<std::size_t>(last) + 1]++)] =
        static_cast<int>(k);
  }
}

/** Lists the contacts of each body. */
void IslandSlope::ListSides() {
  side_first_.assign(bodies_.size() + 2, 0);
  for (const ContactSlope& slope : slopes_) {
    for (const int at : slope.at) {
      if (at >= 0) ++side_first_[static_cast<std::size_t>(at) + 2];
    }
  }
  SumCounts(&side_first_);
  sides_.resize(static_cast<std::size_t>(side_first_.back()));
  for (std::size_t k = 0; k < slopes_.size(); ++k) {
    for (int side = 0; side < 2; ++side) {
      const int at = slopes_[k].at[side];
      if (at < 0) continue;
      const int to = side_first_[static_cast<std::size_t>(at) + 1]++;
      sides_[static_cast<std::size_t>(to)] = {static_cast<int>(k), side, -1};
    }
  }
}

void IslandSlope::Set(std::size_t k, const StagePoint& point, bool coupled, bool follow) {
  ContactSlope slope = SlopeOf(point, coupled, follow);
  std::copy_n(slopes_[k].at, 2, slope.at);
  slopes_[k] = slope;
}

void IslandSlope::Update(std::span<StagePoint* const> points, bool coupled, int threads) {
  cuda::ForEach(slopes_.size(), kGrain, threads, [&](std::size_t k) {
    PrefetchAhead(k, slopes_.size(), [&](std::size_t soon) {
      return points[static_cast<std::size_t>(number_[soon])];
    });
    PrefetchAhead(k, slopes_.size(), [&](std::size_t soon) { return &slopes_[soon]; });
    Set(k, *points[static_cast<std::size_t>(number_[k])], coupled, false);
  });
}

void IslandSlope::Row(int place, double* blocks) const {
  const auto p = static_cast<std::size_t>(place);
  const int first = pattern_.start[p], last = pattern_.start[p + 1];
  std::fill_n(blocks, kBlockSize * static_cast<std::size_t>(last - first), 0.0);
  const auto block = [&](int k) { return blocks + kBlockSize * static_cast<std::size_t>(k); };
  const IslandBody& body = bodies_[p];
  double* own = block(pattern_.diagonal[p] - first);
  AddInertia(body.mass, body.inertia, own, kBlockStride);
  if (body.drag != nullptr) AddDrag(*body.drag, own, kBlockStride);
  for (int k = side_first_[p]; k < side_first_[p + 1]; ++k) {
    const Side& side = sides_[static_cast<std::size_t>(k)];
    AddSideBlocks(slopes_[static_cast<std::size_t>(side.slope)], side.side, own,
                  side.block < 0 ? nullptr : block(side.block), kBlockStride);
  }
  alignas(32) double row[8] = {};
  std::copy(body.row.begin(), body.row.end(), row);
  for (int k = first; k < last; ++k) {
    const IslandBody& other =
        bodies_[static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)])];
    double* out = block(k - first);
    for (std::size_t j = 0; j < 6; ++j) {
      for (std::size_t half = 0; half < 8; half += 4) {
        PackAt(out + j * kBlockStride + half) *= other.column[j] * PackAt(row + half);
      }
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    if (body.row[i] == 0.0) own[i * kBlockStride + i] = 1.0;
  }
}

/** The rows of a part: its own contacts, then those that reach into it from others. */
void IslandSlope::MultiplyPart(int part, const double* x, double* y) const {
  const int begin = part * part_, end = std::min(begin + part_, static_cast<int>(bodies_.size()));
  for (int p = begin; p < end; ++p) {
    const IslandBody& body = bodies_[static_cast<std::size_t>(p)];
    const double* of = x + 6 * p;
    double* out = y + 6 * p;
    const Vec3 v = VectorAt(of), w = VectorAt(of + 3);
    Vec3 linear = body.mass * v, angular = body.inertia * w;
    if (body.drag != nullptr) {
      linear += body.drag->K_vv * v + body.drag->K_vw * w;
      angular += TransposeTimes(body.drag->K_vw, v) + body.drag->K_ww * w;
    }
    std::fill_n(out, 6, 0.0);
    AddTo(out, linear, angular);
  }
  const auto add = [&](const ContactSlope& slope) {
    Vec3 dv, dw;
    for (int side = 0; side < 2; ++side) {
      if (slope.at[side] < 0) continue;
      const double* of = x + 6 * slope.at[side];
      const double sign = side == 0 ? 1.0 : -1.0;
      const Vec3 w = VectorAt(of + 3);
      dv += sign * (VectorAt(of) + Cross(w, slope.rho[side]));
      dw += sign * w;
    }
    const CentroidWrench f = internal::Multiply(slope, dv, dw);
    for (int side = 0; side < 2; ++side) {
      if (slope.at[side] < begin || slope.at[side] >= end) continue;
      const double sign = side == 0 ? 1.0 : -1.0;
      AddTo(y + 6 * slope.at[side], sign * f.force,
            sign * (f.torque + Cross(slope.rho[side], f.force)));
    }
  };
  for (int k = first_[static_cast<std::size_t>(begin)]; k < first_[static_cast<std::size_t>(end)];
       ++k) {
    add(slopes_[static_cast<std::size_t>(k)]);
  }
  const auto at = static_cast<std::size_t>(part);
  for (int k = second_first_[at]; k < second_first_[at + 1]; ++k) {
    add(slopes_[static_cast<std::size_t>(second_[static_cast<std::size_t>(k)])]);
  }
  for (int p = begin; p < end; ++p) {
    for (std::size_t i = 0; i < 6; ++i) y[6 * p + static_cast<int>(i)] *= Body(p).row[i];
  }
}

void IslandSlope::Multiply(std::span<const double> x, std::span<double> y, int threads) const {
  const auto of_part = static_cast<std::size_t>(part_);
  cuda::ForEach((bodies_.size() + of_part - 1) / of_part, 1, threads, [&](std::size_t part) {
    MultiplyPart(static_cast<int>(part), x.data(), y.data());
  });
}

}  // namespace intervox::host::internal
