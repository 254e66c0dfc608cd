#include "host/cli/cli.h"
#include "host/input/error.h"

namespace intervox::cli {

EngineOptions ParseDevice(const std::string& device, int threads) {
  EngineOptions options;
  options.threads = threads;
  options.device = threads == 1 ? Device::kSerial : Device::kThreads;
  if (device == "auto" || device == "cpu") return options;
  const std::string number = device.size() > 5 ? device.substr(5) : "0";
  const bool digits =
      number.size() <= 3 && number.find_first_not_of("0123456789") == std::string::npos;
  if (device != "cuda" && (device.substr(0, 5) != "cuda:" || !digits)) {
    throw host::InputError("command line: --device: unknown device '" + device +
                           "'. Write auto, cpu, cuda or cuda:0.");
  }
  options.device = Device::kCuda;
  options.cuda_device = std::stoi(number);
  return options;
}

Engine MakeEngine(const EngineOptions& options) {
  try {
    return Engine(options);
  } catch (const std::exception& error) {
    throw host::InputError(std::string("command line: --device: ") + error.what() +
                           ". Use --device cpu.");
  }
}

}  // namespace intervox::cli
