import type { Authorize } from '../../core/access/access.ts'
import type { PresentedKey } from '../../core/access/api-key.ts'
import type { Log } from '../../core/log.ts'
import { answer } from './answer.ts'
import { handleHttp } from './handle-http.ts'
import { readApiKey, readJobId } from './request.ts'

/** Handlers of calls that only read: they need no code of their own beside the use case. */

type Logging = { readonly log: Log } & Partial<Authorize>

/** Serves a call that reads one search: 200 with what the use case returns for the job of the path. */
export const serveSearch = <Deps extends Logging>(
  read: (deps: Deps, key: PresentedKey, jobId: string) => Promise<object>,
  common: Deps,
) => handleHttp(common, async (event, deps) => answer(200, await read(deps, readApiKey(event), readJobId(event))))

/** Serves a call that reads a page of a list: 200 with what the use case returns for the query string. */
export const servePage = <Deps extends Logging>(
  read: (deps: Deps, key: PresentedKey, query: Readonly<Record<string, string | undefined>>) => Promise<object>,
  common: Deps,
) =>
  handleHttp(common, async (event, deps) =>
    answer(200, await read(deps, readApiKey(event), event.queryStringParameters ?? {})),
  )
