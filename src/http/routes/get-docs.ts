// Pages for people, over /openapi.json. The files of Swagger UI are served by their names, and nothing else is.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import Type from 'typebox'
import { Problem } from '../../model/problem.ts'
import { sendBody } from '../answer.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

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

/**
 * The page. Its addresses are relative, because a proxy may serve the service under another path. The policy of the pages allows no
 * script in them.
 */
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
