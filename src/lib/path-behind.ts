import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** As many as Linux follows. */
const linksMax = 40

/** The whole path behind symbolic links, whether a file is there yet or not. Renaming onto a link would replace the link. */
export async function pathBehind(path: string): Promise<string> {
  let behind = resolve(path)
  for (let links = 0; links < linksMax; links++) {
    const folder = await realpath(dirname(behind)).catch(() => dirname(behind))
    behind = join(folder, basename(behind))
    const link = await readlink(behind).catch(() => null)
    if (link === null) return behind
    behind = resolve(folder, link)
  }
  throw new Error(`more than ${linksMax} symbolic links, from one to the next`)
}
