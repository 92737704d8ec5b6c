// The files of the repository, by paths relative to its root.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = normalize(join(dirname(fileURLToPath(import.meta.url)), '../..'))

export function filesUnder(directory: string, ending: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name))
}

export const sources = filesUnder('src', '.ts')
export const portal = [...filesUnder('portal/src', '.ts'), ...filesUnder('portal/src', '.tsx')]
export const production = [...sources, ...portal].filter((file) => !file.endsWith('.test.ts'))

export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** The text of a file without its comments, which may mention anything. */
export function codeOf(file: string): string {
  return textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

/** Whether a file is one of these files, or is in one of these folders. */
export function isWithin(file: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith('/') ? file.startsWith(place) : file === place))
}
