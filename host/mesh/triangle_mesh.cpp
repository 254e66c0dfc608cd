#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

double EnclosedVolume(const TriangleMesh& mesh) {
  double sum = 0;
  if (mesh.p.empty()) return sum;
  const Vec3 o = mesh.p.front();
  for (const auto& t : mesh.triangles) {
    sum += Dot(mesh.p[t[0]] - o, Cross(mesh.p[t[1]] - o, mesh.p[t[2]] - o)) / 6;
  }
  return sum;
}

}  // namespace intervox::host
