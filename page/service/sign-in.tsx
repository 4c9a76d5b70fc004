import { useState } from 'preact/hooks'
import { Heading } from '../display/heading.tsx'
import { connect, describeProblem } from './service.ts'
import { hasStorage } from './session.ts'

interface Props {
  /** The reason why the previous key was forgotten; undefined if there is none. */
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
      <p class="lead">What do health plans pay for a service, and whom?</p>
      <p>Payers publish the prices that they have negotiated. Here you can ask, for example:</p>
      <ul class="questions">
        <li>what an MRI of the knee costs under each of an employer's plans</li>
        <li>how the prices of your practice compare with other practices, by TIN or NPI</li>
        <li>what has changed since last month</li>
      </ul>
      <p>The answer is a plot and a table. All rows can be downloaded as Parquet files.</p>
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
          {hasStorage
            ? 'It is kept in this tab only, and forgotten when the tab is closed.'
            : 'This browser stores nothing for this page: you will be asked again when it is loaded again.'}{' '}
          The operator of this service gives you a key. On your own machine, <code>npm start</code> prints one, and{' '}
          <code>npm run keys</code> makes others.
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
