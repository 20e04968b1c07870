/** The namespace of `xsi:type` and `xsi:nil` (XML Schema Part 1, 2.6). */
export const xsi = "http://www.w3.org/2001/XMLSchema-instance";
/** The namespace of XML Schema's types. */
export const xsd = "http://www.w3.org/2001/XMLSchema";
/** The namespace of namespace declarations. */
export const xmlns = "http://www.w3.org/2000/xmlns/";
/** The namespace that the prefix `xml` always has. */
export const xmlPrefix = "http://www.w3.org/XML/1998/namespace";
/** .NET's own scalars and its `z:` attributes (MS-NETTR, data contract serialization schema). */
export const serialization = "http://schemas.microsoft.com/2003/10/Serialization/";
/** Collections of scalars, and dictionaries. */
export const arrays = "http://schemas.microsoft.com/2003/10/Serialization/Arrays";
/** Prefix of the CLR namespace in data contracts that name no namespace. */
export const clrNamespaces = "http://schemas.datacontract.org/2004/07/";
/** The types of the CLR namespace System. */
export const system: string = `${clrNamespaces}System`;
/** The namespace of envelopes (SOAP 1.1, 4.1). */
export const soap11 = "http://schemas.xmlsoap.org/soap/envelope/";
/** The namespace of envelopes (SOAP 1.2, 5.1). */
export const soap12 = "http://www.w3.org/2003/05/soap-envelope";
