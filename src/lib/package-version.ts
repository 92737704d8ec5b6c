import { readFileSync } from 'node:fs'

/**
 * The version of the package, which is also that of the HTTP interface: in the OpenAPI document, in the `Tidemark-Version` header of every
 * answer, and in `tidemark --version`.
 */
export const packageVersion: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version
