import { answerMessage } from '../../client/assistants/serve-http.ts'
import { defaultMaxBytes, type UnknownSizes } from '../../client/assistants/session.ts'
import { SearchCalls } from '../../client/search-calls.ts'
import { mcpRoute } from '../../contract/mcp.ts'
import { type Authorize, authorizeKey } from '../../core/access/access.ts'
import { answerText } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readJsonBody } from '../http/json-body.ts'
import { readApiKey, readHeader, readToken, refuseOtherOrigins } from '../http/request.ts'

/** The means with which assistants are served: the API itself, called with the key of the request. */
export interface ServeAssistants extends Authorize {
  readonly publicBaseUrl: string
  readonly sizes: UnknownSizes
}

/** Longest time of a tool's work in milliseconds: API Gateway gives up after 29 seconds. */
const maxToolMs = 26_000

/** `POST /v1/mcp`: one message of the Model Context Protocol. Nothing is kept between two of them. */
export function serveAssistantsHandler(common: ServeAssistants) {
  return handleHttp(common, async (event, { access, now, log, publicBaseUrl, sizes }) => {
    refuseOtherOrigins(event, publicBaseUrl)
    const key = readApiKey(event)
    await authorizeKey({ access, now, log }, key, mcpRoute.effect)
    const timeoutSeconds = maxToolMs / 1000
    const calls = new SearchCalls({ url: publicBaseUrl, key: readToken(event), retries: 1, timeoutSeconds })
    const report = (error: unknown) => log('tool broke', { cause: String(error) })
    const session = { calls, maxBytes: defaultMaxBytes, sizes, maxToolMs, now, report }
    const { status, contentType, body } = await answerMessage(session, {
      message: readJsonBody(event),
      readHeader: (name) => readHeader(event, name),
      reportRefusal: (cause) => log('message refused', { cause }),
    })
    return answerText(status, contentType, body)
  })
}
