// Web pages. Swagger UI for /openapi.json: a fixed list of its files is served, and no others. The portal: its files as built by `npm run build`, which contain
// no data; the portal requests data with the user's key.
// Tested by `src/http/server.test.ts`.

import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import Type from 'typebox'
import { packageFolder, packageVersion } from '../../lib/own-package.ts'
import { Problem } from '../../model/problem.ts'
import { chooseType } from '../accept.ts'
import { sendBody, sendJson } from '../answer.ts'
import { answers } from '../document.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'
import { ServiceAnswer } from '../service-answer.ts'

/** The root path: browsers are redirected to the portal, programs get a list of links. */
export const getRoot: Route = (app, { settings }) => {
  const { basePath } = settings.server
  const { enabled } = settings.portal
  const linked = { docs: '/docs', openapi: '/openapi.json', health: '/healthz', ready: '/readyz', metrics: '/metrics' }
  const paths = Object.entries({ ...(enabled ? { portal: '/portal' } : {}), ...linked })
  const links = Object.fromEntries(paths.map(([name, path]) => [name, basePath + path]))
  app.route({
    method: 'GET',
    url: '/',
    prefixTrailingSlash: 'no-slash',
    schema: {
      tags: ['service'],
      operationId: 'service',
      summary: 'Names the service and the paths of its parts. A browser is sent to the portal.',
      security: [],
      querystring: anyParameters,
      response: answers(200, 'The service.', ServiceAnswer, ['shutting_down']),
    },
    handler: (request, reply) => {
      reply.header('Vary', 'Accept')
      const wished = chooseType(request.headers.accept, ['application/json', 'text/html'])
      if (enabled && wished === 'text/html') return reply.redirect(`${basePath}/portal`, 302)
      const answer = { service: 'tidemark', version: packageVersion, links }
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getOpenapi: Route = (app, { settings }) => {
  let document: Buffer | null = null
  app.route({
    method: 'GET',
    url: '/openapi.json',
    schema: { hide: true, querystring: anyParameters },
    handler: async (request, reply) => {
      document ??= Buffer.from(JSON.stringify(app.swagger()))
      const body = { bytes: document.length, chunks: [document] }
      return sendBody(request, reply, 'application/json', body, settings.limits.sendIdleMs)
    },
  })
}

const require = createRequire(import.meta.url)
const swaggerUiFiles = join(dirname(require.resolve('@fastify/swagger-ui')), 'static')

const script = 'text/javascript; charset=utf-8'
const style = 'text/css; charset=utf-8'
const filesOfSwaggerUi: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', style],
  ['index.css', style],
  ['swagger-ui-bundle.js', script],
  ['favicon-32x32.png', 'image/png'],
])

/** Its links are relative, because a proxy may serve the service under another path. The content security policy allows no inline script. */
const page = Buffer.from(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<title>Tidemark</title>
<link rel="stylesheet" href="docs/static/swagger-ui.css">
<link rel="stylesheet" href="docs/static/index.css">
<link rel="icon" type="image/png" href="docs/static/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/static/swagger-ui-bundle.js"></script>
<script src="docs/static/start.js"></script>
</body>
</html>
`)

const startScript = `const openapi = new URL('../../openapi.json', document.currentScript.src).pathname
window.ui = SwaggerUIBundle({ url: openapi, dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null })
`

interface DocsFile {
  readonly type: string
  readonly bytes: Buffer
}

export const getDocs: Route = (app, { settings }) => {
  const { sendIdleMs } = settings.limits
  const files = new Map<string, DocsFile>([['start.js', { type: script, bytes: Buffer.from(startScript) }]])
  app.route({
    method: 'GET',
    url: '/docs',
    schema: { hide: true, querystring: anyParameters },
    handler: (request, reply) =>
      sendBody(request, reply, 'text/html; charset=utf-8', { bytes: page.length, chunks: [page] }, sendIdleMs),
  })
  app.route({
    method: 'GET',
    url: '/docs/static/:file',
    schema: { hide: true, params: Type.Object({ file: Type.String() }), querystring: anyParameters },
    handler: async (request, reply) => {
      const { type, bytes } = await fileOf(request.params.file, files)
      return sendBody(request, reply, type, { bytes: bytes.length, chunks: [bytes] }, sendIdleMs)
    },
  })
}

async function fileOf(name: string, known: Map<string, DocsFile>): Promise<DocsFile> {
  const loaded = known.get(name)
  if (loaded !== undefined) return loaded
  const type = filesOfSwaggerUi.get(name)
  if (type === undefined) {
    throw new Problem('path_not_found', 'The documentation has no such file. /docs shows its page.')
  }
  const file = { type, bytes: await readFile(join(swaggerUiFiles, name)) }
  known.set(name, file)
  return file
}

const folder = join(packageFolder, 'dist/portal/')
const mediaTypes = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

interface PortalFiles {
  readonly page: Buffer
  /** By file name, which changes with the content. */
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
  // The page has relative links, so its address has no trailing slash.
  app.route({
    method: 'GET',
    url: '/portal/',
    schema: { hide: true, querystring: anyParameters },
    handler: (_request, reply) => reply.redirect('../portal', 308),
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
        throw new Problem('path_not_found', 'The portal has no such file. /portal shows it.')
      }
      reply.header('Cache-Control', 'public, max-age=31536000, immutable')
      return sendBody(request, reply, type, { bytes: bytes.length, chunks: [bytes] }, sendIdleMs)
    },
  })
}
