import { useEffect } from 'preact/hooks'
import { ConnectionFailed } from '../../client/errors.ts'
import { describeProblem, useSession } from './service.ts'

interface Props {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  /** True if a retry only reads: it is then made automatically when the browser is online again. */
  readonly isReading?: boolean
}

/** Explains an error and what to do about it. A key that is no longer valid leads back to the sign-in. */
export function ProblemBox({ error, onRetry, isReading = false }: Props) {
  const { signOut } = useSession()
  const { title, advice, endsSession = false } = describeProblem(error)
  useEffect(() => {
    if (endsSession) signOut(`${title}. ${advice}`)
  }, [endsSession, title, advice, signOut])
  const isLost = isReading && error instanceof ConnectionFailed
  useEffect(() => {
    if (!isLost || onRetry === undefined) return undefined
    addEventListener('online', onRetry)
    return () => removeEventListener('online', onRetry)
  }, [isLost, onRetry])
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{title}.</strong> {advice}
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
