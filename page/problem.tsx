import { useEffect } from 'preact/hooks'
import { describeProblem, useSession } from './service.ts'

interface Props {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}

/** Explains an error and what to do about it. A key that is no longer valid leads back to the sign-in. */
export function ProblemBox({ error, onRetry }: Props) {
  const { signOut } = useSession()
  const { title, advice, endsSession = false } = describeProblem(error)
  useEffect(() => {
    if (endsSession) signOut(`${title}. ${advice}`)
  }, [endsSession, title, advice, signOut])
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
