import type { CatalogueEntry, PlansOfId } from '../../client/api.ts'
import { nameSome } from '../../schema/phrases.ts'
import { formatAge, nameAsked } from '../display/formats.ts'
import { Combobox } from './combobox.tsx'
import type { Chosen } from './draft.ts'
import { askFeeSchedules, useEntries } from './suggestions.ts'

interface Props {
  readonly chosen: readonly Chosen[]
  readonly onChosen: (chosen: readonly Chosen[]) => void
}

const keyOf = (one: Chosen) => ('plan_id' in one ? one.plan_id : `${one.payer}\n${one.plan}`)

const isSame = (one: Chosen, other: Chosen) => keyOf(one) === keyOf(other)

/** An EIN or a HIOS id, which several plans may share. Source: CMS, "HIOS Plan ID", 10 or 14 characters. */
const isPlanId = (text: string) => /^(?:\d{2}-?\d{7}|\d{5}[a-z]{2}\d{3}(?:\d{4})?|\d{10})$/i.test(text)

const noneFound =
  'Nothing has all of these words. Leave some out, or type only their beginnings; an EIN has nine digits.'

/** Picks fee schedules by typing words of a payer, plan or sponsor, or a plan id. */
export function FeeSchedulePicker({ chosen, onChosen }: Props) {
  const chosenEntries = useEntries(chosen)
  const offer = (entries: readonly CatalogueEntry[], text: string): readonly (CatalogueEntry | PlansOfId)[] => {
    const plansOfId = entries.length > 0 && isPlanId(text.trim()) ? [{ plan_id: text.trim() }] : []
    return [...plansOfId, ...entries].filter((item) => !chosen.some((one) => isSame(one, item)))
  }
  return (
    <div class="field">
      <Combobox
        id="fee-schedule"
        label="Fee schedules"
        help="Type words of a payer, plan or employer, or a plan id (EIN, HIOS), then choose. Several are searched at once."
        ask={askFeeSchedules}
        minLength={0}
        offer={offer}
        none={noneFound}
        keyOf={keyOf}
        show={(item) => <Named one={item} {...('payer' in item && { entry: item })} />}
        onChoose={(item) => onChosen([...chosen, 'plan_id' in item ? item : { payer: item.payer, plan: item.plan }])}
      />
      {chosen.length > 0 && (
        <ul class="chosen" aria-label="Chosen fee schedules">
          {chosen.map((one, index) => (
            <li key={keyOf(one)}>
              <span>
                <Named one={one} {...(chosenEntries[index] && { entry: chosenEntries[index] })} />
              </span>
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  onChosen(chosen.filter((other) => !isSame(one, other)))
                  document.getElementById('fee-schedule')?.focus()
                }}
              >
                Remove<span class="hidden"> {nameAsked(one).plan}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Named({ one, entry }: { readonly one: Chosen; readonly entry?: CatalogueEntry }) {
  const { plan, payer } = nameAsked(one)
  const sponsors = entry?.plan_sponsor_names ?? []
  return (
    <>
      <bdi class="plan">{plan}</bdi> <bdi class="payer">{payer}</bdi>
      <span class="terms">
        {sponsors.length > 0 && <bdi> · for {nameSome(sponsors, 2)}</bdi>}
        {entry && formatAge(entry)}
      </span>
    </>
  )
}
