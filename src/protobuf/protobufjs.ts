/** The parts of protobufjs in use, in the one module that imports it. */
export {
  common,
  Enum,
  Field,
  type INamespace,
  MapField,
  Namespace,
  parse,
  Reader,
  Root,
  Service,
  Type,
  util,
  Writer,
} from "protobufjs";
