import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

const description = createRequire(import.meta.url).resolve('tidemark/package.json')

/**
 * The version of the package and of the HTTP interface, as shown in the OpenAPI document, in the `Tidemark-Version` header of every response, and by
 * `tidemark --version`.
 */
export const packageVersion: string = JSON.parse(readFileSync(description, 'utf8')).version

/** The folder of the package, wherever the importing file is. */
export const packageFolder: string = dirname(description)
