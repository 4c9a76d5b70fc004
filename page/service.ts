import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Search, SearchRequest } from '../client/api.ts'
import { ApiError, ConnectionFailed } from '../client/errors.ts'
import { Transport } from '../client/transport.ts'

/** Connects to the service that serves this page, by `<base href>`. */
export function connect(key: string): Transport {
  return new Transport({ url: new URL('.', document.baseURI).href, key, retries: 2, timeoutSeconds: 30 })
}

/** The session, for views. */
export interface Session {
  readonly transport: Transport
  /** Forgets the key, and says why. */
  readonly signOut: (reason?: string) => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new TypeError('a view was rendered without a session')
  return session
}

export const createSearch = async (transport: Transport, request: SearchRequest, idempotencyKey: string) =>
  (await transport.call('create-search', { body: request, headers: { 'Idempotency-Key': idempotencyKey } })).body

export const cancelSearch = async (transport: Transport, jobId: string): Promise<Search> =>
  (await transport.call('cancel-search', { path: { job_id: jobId } })).body

/** An error of a call, in words for users. */
export interface Problem {
  readonly title: string
  readonly advice: string
  /** The key is no longer valid: sign in again. */
  readonly endsSession?: boolean
}

export function describeProblem(error: unknown): Problem {
  if (error instanceof ConnectionFailed) {
    const title = navigator.onLine ? 'The service does not answer' : 'You are offline'
    return { title, advice: 'Nothing is lost: searches go on without this page. Check your connection and try again.' }
  }
  if (!(error instanceof ApiError)) return { title: 'This page failed', advice: 'Reload it and try again.' }
  const { status, message, requestId, retryAfterSeconds } = error
  const quoted = requestId === undefined ? '' : ` Request ${requestId}.`
  if (status === 401)
    return { title: 'This key is not known', advice: 'Check that you entered all of it.', endsSession: true }
  if (status === 403)
    return {
      title: 'This key was revoked',
      advice: 'Ask the operator of the service for a new one.',
      endsSession: true,
    }
  if (status === 404)
    return {
      title: 'There is no such search',
      advice: 'It may have expired, been deleted, or belong to another organization.',
    }
  if (status === 429)
    return {
      title: 'Too many requests',
      advice: `${message}${retryAfterSeconds ? ` Try again in ${retryAfterSeconds} seconds.` : ''}`,
    }
  if (status >= 500) return { title: 'The service failed', advice: `Try again.${quoted}` }
  return { title: 'The service refused this', advice: message }
}
