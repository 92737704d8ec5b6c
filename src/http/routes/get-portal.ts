// The portal's own files, as `npm run build` made them. They hold no data: what the portal shows it asks for, with the key of who looks.
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Type from 'typebox'
import { Problem } from '../../model/problem.ts'
import { sendBody } from '../answer.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

const folder = fileURLToPath(new URL('../../portal/', import.meta.url))
const mediaTypes = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

interface PortalFiles {
  readonly page: Buffer
  /** By their names, which change with what is in them. */
  readonly assets: ReadonlyMap<string, Buffer>
}

async function readFiles(): Promise<PortalFiles> {
  const assets = join(folder, 'assets')
  try {
    const names = await readdir(assets)
    const read = names.map(async (name) => [name, await readFile(join(assets, name))] as const)
    return { page: await readFile(join(folder, 'index.html')), assets: new Map(await Promise.all(read)) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Problem('path_not_found', 'The portal is not built: run "npm run build".')
  }
}

export const getPortal: Route = (app, { settings }) => {
  if (!settings.portal.enabled) return
  const { sendIdleMs } = settings.limits
  let files: Promise<PortalFiles> | null = null
  const portal = (): Promise<PortalFiles> => {
    files ??= readFiles().catch((error: unknown) => {
      files = null
      throw error
    })
    return files
  }
  app.route({
    method: 'GET',
    url: '/portal',
    schema: { hide: true, querystring: anyParameters },
    handler: async (request, reply) => {
      const { page } = await portal()
      const body = { bytes: page.length, chunks: [page] }
      return sendBody(request, reply, 'text/html; charset=utf-8', body, sendIdleMs)
    },
  })
  app.route({
    method: 'GET',
    url: '/portal/assets/:file',
    schema: { hide: true, params: Type.Object({ file: Type.String() }), querystring: anyParameters },
    handler: async (request, reply) => {
      const { file } = request.params
      const bytes = (await portal()).assets.get(file)
      const type = mediaTypes.get(extname(file))
      if (bytes === undefined || type === undefined) {
        throw new Problem('path_not_found', 'There is no such file of the portal. /portal shows it.')
      }
      reply.header('Cache-Control', 'public, max-age=31536000, immutable')
      return sendBody(request, reply, type, { bytes: bytes.length, chunks: [bytes] }, sendIdleMs)
    },
  })
}
