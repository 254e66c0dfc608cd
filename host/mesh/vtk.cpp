#include "host/mesh/vtk.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "host/input/writable.h"

namespace intervox::host {
namespace {

constexpr const char* kHead =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"0.1\" byte_order=\"LittleEndian\">\n";

void Write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path);
  stream << text;
  if (stream.flush()) return;
  const int why = errno;
  std::error_code ignored;
  std::filesystem::remove(path, ignored);  // half of it is none
  errno = why;
  FailToWrite(path);
}

std::string ArrayText(const VtkArray& array) {
  std::string text = fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">\n",
      array.integer ? "Int32" : "Float64", array.name, array.width);
  for (std::size_t k = 0; k < array.values.size(); ++k) {
    text += array.integer ? fmt::format("{}", static_cast<int>(array.values[k]))
                          : fmt::format("{:.10g}", array.values[k]);
    text += (k + 1) % 9 == 0 ? '\n' : ' ';
  }
  return text + "</DataArray>\n";
}

std::string ArraysText(const char* kind, const std::vector<VtkArray>& arrays) {
  std::string text = fmt::format("<{}>\n", kind);
  for (const VtkArray& array : arrays) text += ArrayText(array);
  return text + fmt::format("</{}>\n", kind);
}

std::string CellsText(const char* kind, const std::vector<std::vector<int>>& cells) {
  VtkArray connectivity{"connectivity", 1, {}, true}, offsets{"offsets", 1, {}, true};
  for (const std::vector<int>& cell : cells) {
    connectivity.values.insert(connectivity.values.end(), cell.begin(), cell.end());
    offsets.values.push_back(static_cast<double>(connectivity.values.size()));
  }
  return ArraysText(kind, {connectivity, offsets});
}

}  // namespace

void WriteVtp(const std::filesystem::path& path, const VtkPolyData& data) {
  std::vector<std::vector<int>> vertices;
  VtkArray points{"points", 3, {}, false};
  for (std::size_t k = 0; k < data.points.size(); ++k) {
    for (int i = 0; i < 3; ++i) points.values.push_back(data.points[k][i]);
    if (data.points_are_cells) vertices.push_back({static_cast<int>(k)});
  }
  Write(path, fmt::format(fmt::runtime(kHead), "PolyData") +
                  fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" "
                              "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
                              data.points.size(), vertices.size(), data.polygons.size()) +
                  ArraysText("PointData", data.of_points) + ArraysText("CellData", data.of_cells) +
                  ArraysText("Points", {points}) + CellsText("Verts", vertices) +
                  CellsText("Polys", data.polygons) + "</Piece>\n</PolyData>\n</VTKFile>\n");
}

void WritePvd(const std::filesystem::path& path, std::span<const VtkPart> parts) {
  std::string text = fmt::format(fmt::runtime(kHead), "Collection") + "<Collection>\n";
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const auto& [time, file] : parts[part]) {
      text += fmt::format("<DataSet timestep=\"{}\" part=\"{}\" file=\"{}\"/>\n", time, part, file);
    }
  }
  Write(path, text + "</Collection>\n</VTKFile>\n");
}

}  // namespace intervox::host
