import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

const description = createRequire(import.meta.url).resolve('tidemark/package.json')

/**
 * The version of the package, which is also that of the HTTP interface: in the OpenAPI document, in the `Tidemark-Version` header of every
 * answer, and in `tidemark --version`.
 */
export const packageVersion: string = JSON.parse(readFileSync(description, 'utf8')).version

/** The folder of the package, wherever the file lies that asks. */
export const packageFolder: string = dirname(description)
