#include "host/scene/json_schema.h"

#include <nlohmann/json.hpp>
#include <set>

#include "host/scene/keys.h"

namespace intervox::host {
namespace {

using Json = nlohmann::ordered_json;

Json Ref(const std::string& object) { return {{"$ref", "#/definitions/" + object}}; }

Json NumberSchema(const Range& range) {
  Json j = {{"type", "number"}};
  j[range.open ? "exclusiveMinimum" : "minimum"] = range.lo;
  j["maximum"] = range.hi;
  return j;
}

Json ListSchema(const Json& items, int least, int most = -1) {
  Json j = {{"type", "array"}, {"items", items}};
  if (least > 0) j["minItems"] = least;
  if (most >= 0) j["maxItems"] = most;
  return j;
}

Json MapSchema(const Json& values) {
  return {{"type", {"object", "null"}}, {"additionalProperties", values}};
}

Json AnyOf(const std::vector<Json>& schemas) { return {{"anyOf", schemas}}; }

Json ShapeSchema() { return AnyOf({{{"type", "string"}}, Ref("shape")}); }

Json ValueSchema(const Key& key) {
  Json number = NumberSchema(key.range);
  Json word = {{"type", "string"}};
  switch (key.type) {
    case Type::kNumber:
      return number;
    case Type::kVector:
      return ListSchema(number, 3, 3);
    case Type::kNumberOrVector:
      return AnyOf({number, ListSchema(number, 3, 3)});
    case Type::kNumberOrObject:
      return AnyOf({number, Ref(key.of)});
    case Type::kNumbers:
      return ListSchema(number, key.count, key.count);
    case Type::kNumberList:
      return ListSchema(number, key.count);
    case Type::kInertia:
      return AnyOf(
          {ListSchema(NumberSchema(kPositive), 3, 3), ListSchema(ListSchema(number, 3, 3), 3, 3)});
    case Type::kPoints:
      return ListSchema(ListSchema(number, 3, 3), key.count);
    case Type::kBool:
      return {{"type", "boolean"}};
    case Type::kString:
      return word;
    case Type::kStrings:
      return ListSchema(word, key.count);
    case Type::kChoice:
      return {{"enum", Choices(key.of)}};
    case Type::kObject:
      return Ref(key.of);
    case Type::kObjects:
      return ListSchema(Ref(key.of), key.count);
    case Type::kNamed:
      return MapSchema(Ref(key.of));
    case Type::kShape:
      return ShapeSchema();
    case Type::kShapes:
      return ListSchema(ShapeSchema(), key.count);
    case Type::kShapesMap: {
      Json map = MapSchema(ShapeSchema());
      map["properties"] = {{"include", ListSchema(word, 0)}};
      return map;
    }
    case Type::kWords:
      return MapSchema({{"type", {"string", "number"}}});
    case Type::kValue:
      return Json::object();
    case Type::kValues:
      return ListSchema(Json::object(), key.count);
    case Type::kParameter:
      return {{"type", {"number", "string"}}};
  }
  return {};
}

Json KeySchema(const Key& key) {
  Json value = ValueSchema(key);
  Json j = {{"description", key.doc}};
  if (value.contains("$ref")) {
    j["allOf"] = Json::array({value});  // draft 7 ignores what stands beside $ref
  } else {
    j.update(value);
  }
  return j;
}

Json Alternatives(const std::vector<std::string>& group) {
  Json list = Json::array();
  for (const std::string& name : group) list.push_back({{"required", {name}}});
  return list;
}

Json ObjectSchema(const Object& object) {
  Json j = {{"description", object.doc}, {"type", {"object", "null"}}};
  Json required = Json::array();
  for (const Key& key : object.keys) {
    j["properties"][key.name] = KeySchema(key);
    if (key.required) required.push_back(key.name);
  }
  j["additionalProperties"] = object.open ? Json({{"type", {"number", "string"}}}) : Json(false);
  if (!required.empty()) j["required"] = required;
  if (!required.empty() || !object.exactly_one.empty()) j["type"] = "object";
  if (!object.exactly_one.empty()) j["oneOf"] = Alternatives(object.exactly_one);
  if (!object.at_most_one.empty()) {
    Json none = {{"not", {{"anyOf", Alternatives(object.at_most_one)}}}};
    Json one = Alternatives(object.at_most_one);
    one.push_back(none);
    j["allOf"] = Json::array({{{"oneOf", one}}});
  }
  return j;
}

/** Collects the objects that `name` needs, itself included. */
void Collect(const std::string& name, std::set<std::string>& names) {
  if (!names.insert(name).second) return;
  for (const Key& key : ObjectNamed(name).keys) {
    if (key.type == Type::kObject || key.type == Type::kObjects || key.type == Type::kNamed ||
        key.type == Type::kNumberOrObject) {
      Collect(key.of, names);
    }
    if (key.type == Type::kShape || key.type == Type::kShapes || key.type == Type::kShapesMap) {
      Collect("shape", names);
    }
  }
}

}  // namespace

std::string JsonSchema(const std::string& root) {
  std::set<std::string> names;
  Collect(root, names);
  Json j = {{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"title", "intervox/" + root + (root == "scene" ? "/2" : "/1")}};
  j.update(ObjectSchema(ObjectNamed(root)));
  names.erase(root);
  for (const std::string& name : names) j["definitions"][name] = ObjectSchema(ObjectNamed(name));
  return j.dump(1) + "\n";
}

}  // namespace intervox::host
