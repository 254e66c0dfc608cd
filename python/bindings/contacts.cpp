// Contacts and impacts as structured arrays: one copy from C++ into NumPy's memory.
#include <array>
#include <cstddef>

#include "host/contact/patch_depth.h"
#include "python/bindings/reports.h"

namespace intervox::python {
namespace {

/** One field of a structured type; kind 'i' or 'f', eight bytes a number. */
struct Field {
  const char* name;
  char kind;
  int width;
};

template <std::size_t N>
nb::handle MakeType(const std::array<Field, N>& fields) {
  nb::list list;
  for (const Field& field : fields) {
    const char* format = field.kind == 'i' ? "<i8" : "<f8";
    if (field.width == 1) {
      list.append(nb::make_tuple(field.name, format));
    } else if (field.width == 9) {
      list.append(nb::make_tuple(field.name, format, nb::make_tuple(3, 3)));
    } else {
      list.append(nb::make_tuple(field.name, format, field.width));
    }
  }
  return nb::module_::import_("numpy").attr("dtype")(list).release();
}

constexpr std::array<Field, 18> kContact = {{{"id", 'i', 1},
                                             {"body_i", 'i', 1},
                                             {"body_j", 'i', 1},
                                             {"pairs", 'i', 1},
                                             {"volume", 'f', 1},
                                             {"depth", 'f', 1},
                                             {"centroid", 'f', 3},
                                             {"normal", 'f', 3},
                                             {"area_vector", 'f', 3},
                                             {"inertia", 'f', 9},
                                             {"normal_force", 'f', 1},
                                             {"force", 'f', 3},
                                             {"torque", 'f', 3},
                                             {"velocity", 'f', 3},
                                             {"bristle", 'f', 3},
                                             {"approach_speed", 'f', 1},
                                             {"damping_factor", 'f', 1},
                                             {"since", 'f', 1}}};

/** A row of kContact. */
struct ContactRow {
  std::int64_t id, body_i, body_j, pairs;
  double volume, depth;
  Vec3 centroid, normal, area_vector;
  Mat3 inertia;
  double normal_force;
  Vec3 force, torque, velocity, bristle;
  double approach_speed, damping_factor, since;
};

constexpr std::array<Field, 5> kImpact = {{{"time", 'f', 1},
                                           {"body_i", 'i', 1},
                                           {"body_j", 'i', 1},
                                           {"approach_speed", 'f', 1},
                                           {"peak_force", 'f', 1}}};

/** A row of kImpact. */
struct ImpactRow {
  double time;
  std::int64_t body_i, body_j;
  double approach_speed, peak_force;
};

template <std::size_t N>
constexpr std::size_t BytesOf(const std::array<Field, N>& fields) {
  std::size_t numbers = 0;
  for (const Field& field : fields) numbers += static_cast<std::size_t>(field.width);
  return 8 * numbers;
}
static_assert(sizeof(ContactRow) == BytesOf(kContact));
static_assert(sizeof(ImpactRow) == BytesOf(kImpact));

}  // namespace

nb::object ContactsOf(const Simulation& simulation) {
  static const nb::handle type = MakeType(kContact);
  std::vector<ContactRow> rows;
  rows.reserve(simulation.Contacts().size());
  for (const ContactReport& c : simulation.Contacts()) {
    const host::PatchGeometry& g = c.geometry;
    rows.push_back({static_cast<std::int64_t>(c.id), c.body_i, c.body_j, c.pairs, host::Volume(g),
                    host::Depth(g), g.p_WC, g.n, host::AreaVector(g), g.J_W, c.f_n, c.force,
                    c.torque, c.v_c, c.state.z, c.latch.v_i, c.latch.a, c.since});
  }
  return Rows(type, rows.size(), std::as_bytes(std::span(rows)));
}

nb::object ImpactsOf(const Simulation& simulation) {
  static const nb::handle type = MakeType(kImpact);
  std::vector<ImpactRow> rows;
  rows.reserve(simulation.Impacts().size());
  for (const ImpactRecord& i : simulation.Impacts()) {
    rows.push_back({i.t, i.body_i, i.body_j, i.approach_speed, i.peak_force});
  }
  return Rows(type, rows.size(), std::as_bytes(std::span(rows)));
}

}  // namespace intervox::python
