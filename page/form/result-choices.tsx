import type { ResultChoice } from './draft.ts'

interface Props {
  readonly chosen: ResultChoice
  readonly onChoose: (chosen: ResultChoice) => void
  /** The estimates of both searches, in words. */
  readonly rows: string
  readonly summary: string
}

/** Offers a summary beside the rows of a large search, which may be too many to be compared on the page. */
export function ResultChoices({ chosen, onChoose, rows, summary }: Props) {
  const choices = [
    ['both', 'Both', 'The summary is shown first, and leads to the rows.'],
    ['summary', 'Summary', `Medians and percentiles by plan and code. ${summary}`],
    ['rows', 'Rows', `Every price, to download. ${rows}`],
  ] as const
  return (
    <fieldset class="result-choices" aria-describedby="result-help">
      <legend>Result</legend>
      <p id="result-help" class="help">
        This search may have more rows than a page can compare.
      </p>
      {choices.map(([choice, label, description]) => (
        <label key={choice}>
          <input type="radio" name="result" checked={choice === chosen} onChange={() => onChoose(choice)} />
          <span>
            <strong>{label}</strong> <span class="help">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
