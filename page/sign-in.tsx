import { useState } from 'preact/hooks'
import { Heading } from './heading.tsx'
import { connect, describeProblem } from './service.ts'

interface Props {
  /** Why the previous key was forgotten. */
  readonly reason: string | undefined
  readonly onKey: (key: string) => void
}

/** Asks for an API key, and checks it before storing it. */
export function SignIn({ reason, onKey }: Props) {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState(reason)
  const [isTrying, setTrying] = useState(false)
  const tryKey = async (event: Event) => {
    event.preventDefault()
    const entered = key.trim()
    if (entered === '') return setProblem('Enter a key.')
    setTrying(true)
    try {
      await connect(entered).transport.call('list-fee-schedules', { query: { limit: 1 } })
      onKey(entered)
    } catch (error) {
      const { title, advice } = describeProblem(error)
      setProblem(error instanceof TypeError ? 'A key has only letters, digits and underscores.' : `${title}. ${advice}`)
      setTrying(false)
    }
  }
  return (
    <main class="sign-in">
      <Heading>Rate search</Heading>
      <p>Search negotiated healthcare rates, look at them here, and download them as Parquet files.</p>
      <form onSubmit={tryKey}>
        <label for="key">API key</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={key}
          aria-describedby="key-help key-problem"
          aria-invalid={problem !== undefined}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <p id="key-help" class="help">
          It is kept in this tab only, and forgotten when the tab is closed.
        </p>
        <p id="key-problem" class="problem-line" role="alert">
          {problem}
        </p>
        <button type="submit" class="main" disabled={isTrying}>
          {isTrying ? 'Checking …' : 'Continue'}
        </button>
      </form>
    </main>
  )
}
