/** The version of the interface: in the OpenAPI document, and in the `Tidemark-Version` header of every answer. */
export const interfaceVersion = '1.0.0'
