// The health check of the image: exit code 0 while the service in this container is live, over HTTP or HTTPS, whichever is configured.
import { get } from 'node:http'
import { get as getSecure } from 'node:https'

const { TIDEMARK_PORT: port = '8080', TIDEMARK_SERVER_BASE_PATH: basePath = '' } = process.env

/** The name in the certificate does not matter: the request stays within the container. */
function isLive(ask) {
  const where = { host: '127.0.0.1', port, path: `${basePath}/healthz`, timeout: 2500, rejectUnauthorized: false }
  return new Promise((resolve) => {
    const request = ask(where, (answer) => resolve(answer.resume().statusCode === 200))
    request.on('timeout', () => request.destroy()).on('error', () => resolve(false))
  })
}

const answers = await Promise.all([isLive(get), isLive(getSecure)])
process.exit(answers.includes(true) ? 0 : 1)
