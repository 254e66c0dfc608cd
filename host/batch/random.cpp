#include "host/batch/random.h"

#include <Random123/philox.h>
#include <Random123/boxmuller.hpp>
#include <Random123/uniform.hpp>

#include "host/world/checksum.h"

namespace intervox::host {
namespace {

r123::Philox4x64::ctr_type Bits(const Stream& stream, std::uint64_t k) {
  const r123::Philox4x64::ctr_type counter = {{stream.run, stream.path, k, 0}};
  const r123::Philox4x64::key_type key = {{stream.seed, 0}};
  return r123::Philox4x64()(counter, key);
}

}  // namespace

std::uint64_t PathHash(std::string_view path) {
  Checksum sum;
  sum.AddText(path);
  return sum.value();
}

double UniformDraw(const Stream& stream, std::uint64_t k) {
  return r123::u01fixedpt<double>(Bits(stream, k)[0]);
}

double NormalDraw(const Stream& stream, std::uint64_t k) {
  const auto bits = Bits(stream, k);
  return r123::boxmuller(bits[0], bits[1]).x;
}

}  // namespace intervox::host
