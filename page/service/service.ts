import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { CompletedSearch } from '../../client/api.ts'
import { ApiError, ConnectionFailed } from '../../client/errors.ts'
import { UrlExpired } from '../../client/results/shard-file.ts'
import { SearchCalls } from '../../client/search-calls.ts'

/** Connects to the service that serves this page, by `<base href>`. */
export function connect(key: string): SearchCalls {
  return new SearchCalls({ url: new URL('.', document.baseURI).href, key, retries: 2, timeoutSeconds: 30 })
}

/** The session, for views. */
export interface Session {
  readonly client: SearchCalls
  /** Forgets the key, and says why. */
  readonly signOut: (reason?: string) => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new TypeError('a view was rendered without a session')
  return session
}

/** Reads a completed search, with freshly signed URLs. */
export async function readCompleted(client: SearchCalls, jobId: string): Promise<CompletedSearch> {
  const search = await client.get(jobId)
  if (search.status !== 'completed') throw new TypeError('the search has no result')
  return search
}

/** An error of a call, in words for users. */
export interface Problem {
  readonly title: string
  readonly advice: string
  /** The key is no longer valid: sign in again. */
  readonly endsSession?: boolean
}

/** Longest wait that is shown in seconds. */
const maxShownWait = 600

export function describeProblem(error: unknown): Problem {
  if (error instanceof ConnectionFailed) {
    const title = navigator.onLine ? 'The service does not answer' : 'You are offline'
    return { title, advice: 'Nothing is lost: searches go on without this page. Check your connection and try again.' }
  }
  if (error instanceof UrlExpired)
    return { title: 'The storage refuses to send the files', advice: 'They may have been deleted.' }
  if (!(error instanceof ApiError))
    return { title: 'The files could not be read', advice: 'Check your connection; downloads may still work.' }
  const { status, type, message, requestId, retryAfterSeconds } = error
  if (type === 'not_permitted') return { title: 'This key may not do that', advice: message }
  const quoted = requestId === undefined ? '' : ` Request ${requestId}.`
  // The message of a limit of a day says itself when that ends.
  const isSoon = retryAfterSeconds !== undefined && retryAfterSeconds <= maxShownWait
  const wait = isSoon ? ` Try again in ${retryAfterSeconds} seconds.` : ''
  const problems: Readonly<Record<number, Problem>> = {
    401: { title: 'This key is not known', advice: 'Check that you entered all of it.', endsSession: true },
    403: { title: 'This key was revoked', advice: 'Ask the operator for a new one.', endsSession: true },
    404: { title: 'There is no such search', advice: 'It has expired, was deleted, or is of another organization.' },
    429: { title: 'Too many requests', advice: message + wait },
  }
  const problem = problems[status]
  if (problem !== undefined) return problem
  if (status >= 500) return { title: 'Internal error', advice: `Try again. If it persists, contact support.${quoted}` }
  return { title: 'The service refused this', advice: message }
}
