export type { DotnetContract } from "./data-contract/contract.ts";
export { dataContractJson, type DataContractJsonOptions } from "./json/data-contract-json.ts";
export { jsonNet, type JsonNetOptions } from "./json/json-net.ts";
export type { NbfxDictionaryOptions } from "./nbfx/dictionaries.ts";
export { nbfx, type NbfxOptions } from "./nbfx/nbfx.ts";
export type { NbfxReadOptions } from "./nbfx/read-document.ts";
export { dataContractXml, type DataContractXmlOptions } from "./xml/data-contract-xml.ts";
export { nrbf, type NrbfEnum, type NrbfOptions } from "./nrbf/index.ts";
export type {
  XmlArray,
  XmlAttribute,
  XmlComment,
  XmlDocument,
  XmlElement,
  XmlName,
  XmlNode,
  XmlScalar,
  XmlScalarType,
  XmlTag,
  XmlText,
} from "./xml/node.ts";
