import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** The limit of Linux. */
const linksMax = 40

/** The absolute path after following symbolic links, whether or not the file exists. Renaming onto a link would replace the link. */
export async function resolveLinks(path: string): Promise<string> {
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
