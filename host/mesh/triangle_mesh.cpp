#include "host/mesh/triangle_mesh.h"

#include <cmath>
#include <numbers>

namespace intervox::host {

void Append(const TriangleMesh& more, TriangleMesh* mesh) {
  const int offset = static_cast<int>(mesh->p.size());
  mesh->p.insert(mesh->p.end(), more.p.begin(), more.p.end());
  for (const auto& t : more.triangles) {
    mesh->triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
  }
}

double EnclosedVolume(const TriangleMesh& mesh) {
  double sum = 0;
  if (mesh.p.empty()) return sum;
  const Vec3 o = mesh.p.front();
  for (const auto& t : mesh.triangles) {
    sum += Dot(mesh.p[t[0]] - o, Cross(mesh.p[t[1]] - o, mesh.p[t[2]] - o)) / 6;
  }
  return sum;
}

double WindingNumber(const TriangleMesh& mesh, const Vec3& o) {
  double angle = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.p[t[0]] - o, b = mesh.p[t[1]] - o, c = mesh.p[t[2]] - o;
    const double la = Norm(a), lb = Norm(b), lc = Norm(c);
    angle += 2 * std::atan2(Dot(a, Cross(b, c)),
                            la * lb * lc + Dot(a, b) * lc + Dot(b, c) * la + Dot(c, a) * lb);
  }
  return angle / (4 * std::numbers::pi);
}

}  // namespace intervox::host
