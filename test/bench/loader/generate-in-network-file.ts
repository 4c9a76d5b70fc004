import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createRandom, type Random } from './random.ts'

export const groupShapes = ['referenced', 'shared', 'unique', 'small'] as const

export interface GeneratedShape {
  readonly megabytes: number
  /**
   * Form in which rates name provider groups: by reference (schema 2.x), inline from a pool or each its own (schema
   * 1.x), or by many small references in many small items, with one NPI and one price each.
   */
  readonly groups: (typeof groupShapes)[number]
  /** Megabytes of rates in the first item; 0 for one like the others. */
  readonly largeItem: number
  /** The same seed makes the same file. */
  readonly seed: number
}

/**
 * Writes an in-network file of invented rates, of about the requested size, that varies as payers' files do. Values of
 * a field follow Zipf's law, in thousands of combinations. Items have one to thousands of rates, mostly few; groups
 * have one to thousands of NPIs. Each seed imitates another writer: its order of fields, white space and escapes.
 */
export async function generateInNetworkFile(path: string, shape: GeneratedShape): Promise<void> {
  await pipeline(Readable.from(inLargeChunks(generate(shape))), createWriteStream(path))
}

function* inLargeChunks(texts: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const text of texts) {
    chunk += text
    if (chunk.length < 1 << 20) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

function* generate({ megabytes, groups, largeItem, seed }: GeneratedShape): Generator<string> {
  const random = createRandom(seed)
  const isSmall = groups === 'small'
  const inline = groups === 'shared' || groups === 'unique'
  const writer = createWriter(random)
  const priceOf = createPrices(random)
  const references = Math.ceil(20 + (isSmall ? 3000 : 100) * megabytes)
  const pool = groups === 'shared' ? Array.from({ length: Math.ceil(30 * megabytes) }, () => groupsOf(random)) : []
  const providersOf = () => {
    if (!inline) {
      const ids = Array.from({ length: random.tail(1.3, 60) }, () => 1 + random.zipf(references))
      return { provider_references: [...new Set(ids)] }
    }
    return { provider_groups: groups === 'shared' ? random.pick(pool) : groupsOf(random) }
  }
  let written = 0
  const count = (text: string) => {
    written += Buffer.byteLength(text)
    return text
  }
  yield count(`${writer.open({ ...rootFields, version: inline ? '1.0.0' : '2.0.0' })},"provider_references":[`)
  for (let id = 1; id <= references && !inline; id++) {
    const reference = {
      provider_group_id: id,
      network_name: random.pickEarly(networkLists),
      provider_groups: isSmall ? [groupOf(random, 1)] : groupsOf(random),
    }
    yield count((id === 1 ? '' : ',') + writer.write(reference))
  }
  yield count('],"in_network":[')
  for (let index = 0; written < megabytes * 1e6; index++) {
    yield count(`${index === 0 ? '' : ','}${writer.open(itemOf(index, random))},"negotiated_rates":[`)
    const end = index === 0 ? written + largeItem * 1e6 : 0
    const rates = isSmall ? 1 : random.tail(0.9, 3000)
    for (let rate = 0; rate < rates || written < end; rate++) {
      const prices = Array.from({ length: isSmall ? 1 : random.tail(1.5, 12) }, priceOf)
      yield count((rate === 0 ? '' : ',') + writer.write({ ...providersOf(), negotiated_prices: prices }))
    }
    yield count(']}')
  }
  yield ']}'
}

/** Writes objects as one publisher's program does: each kind with its fields in one order, and the same white space. */
function createWriter(random: Random) {
  const indent = random.pick(['', '', ' '])
  const escapes = random() < 0.5
  const orders = new Map<string, readonly string[]>()
  const reorder = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const kind = Object.keys(value).join()
    const order = orders.get(kind) ?? random.shuffle(Object.keys(value))
    orders.set(kind, order)
    const fields = new Map<string, unknown>(Object.entries(value))
    return Object.fromEntries(order.map((name) => [name, fields.get(name)]))
  }
  const write = (value: unknown) => {
    const text = JSON.stringify(value, reorder, indent)
    return escapes ? text.replace(/[^\x20-\x7e\s]/g, escapeCharacter) : text
  }
  /** An object without its closing brace. */
  const open = (value: object) => write(value).slice(0, -1).trimEnd()
  return { write, open }
}

/** As programs in Python write what is not ASCII. */
const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const rootFields = {
  reporting_entity_name: 'Blue Harbor Services',
  reporting_entity_type: 'health insurance issuer',
  issuer_name: 'Blue Harbor Health',
  plan_name: 'Harbor PPO Gold',
  plan_id_type: 'hios',
  plan_id: '0123456789',
  plan_market_type: 'group',
  last_updated_on: '2026-11-01',
}

const itemOf = (index: number, random: Random) => ({
  negotiation_arrangement: 'ffs',
  name: `Item ${index}`,
  billing_code_type: random.pick(['CPT', 'CPT', 'HCPCS', 'MS-DRG']),
  billing_code_type_version: '2026',
  billing_code: String(10_000 + (index % 90_000)),
  description: `Description of item ${index}, as long as those of payers are`,
})

const places = ['11', '22', '19', '21', '23', '24', '02', '10', '31', '32', '49', '50', '61', '65', '81']
const modifiers = ['26', 'TC', '25', '50', '59', '95', 'GT', 'AA', 'QX', 'QZ', 'LT', 'RT', '80', 'AS', 'NU', 'RR']

/** Prices of few values a field, which occur in many combinations. */
function createPrices(random: Random) {
  const listsOf = (words: readonly string[], count: number, longest: number) =>
    Array.from({ length: count }, () => [
      ...new Set(Array.from({ length: random.tail(1.2, longest) }, () => random.pick(words))),
    ])
  const placeLists = listsOf(places, 60, places.length)
  const modifierLists = [[], ...listsOf(modifiers, 40, 3)]
  const dates = Array.from({ length: 24 }, (_, month) => new Date(Date.UTC(2027, month, 0)).toISOString().slice(0, 10))
  const notes = Array.from(
    { length: 200 },
    (_, note) => `Schedule ${note}: "case" rate, multiple procedure – see § ${note % 37}`,
  )
  return () => ({
    negotiated_type: random.pickEarly(['negotiated', 'fee schedule', 'derived', 'percentage', 'per diem']),
    negotiated_rate: Number((random.tail(0.6, 90_000) + random()).toFixed(random.below(5))),
    expiration_date: random.pickEarly(['9999-12-31', ...dates]),
    service_code: random.pickEarly(placeLists),
    billing_class: random.pickEarly(['professional', 'institutional']),
    setting: random.pickEarly(['outpatient', 'inpatient', 'both']),
    billing_code_modifier: random.pickEarly(modifierLists),
    ...(random() < 0.15 && { additional_information: random.pickEarly(notes) }),
  })
}

const groupsOf = (random: Random) => Array.from({ length: random.tail(1.6, 40) }, () => groupOf(random))

const groupOf = (random: Random, npis = random.tail(1, 2000)) => ({
  npi: Array.from({ length: npis }, () => 1_000_000_000 + random.below(900_000_000)),
  tin: {
    type: 'ein',
    value: `${10 + random.below(80)}-${1_000_000 + random.below(8_999_999)}`,
    ...(random() < 0.7 && { business_name: `${random.pick(owners)} ${random.pick(trades)} ${random.below(400)}` }),
  },
})

const owners = ['Harbor', 'St. Mary’s', 'O’Brien', 'Clínica Ñandú', 'A&B', 'Valley', 'First "Choice"', 'Regional']
const trades = ['Eye Center', 'Orthopedics, P.C.', 'Imaging LLC', 'Family Practice', 'Hospital', 'Physical Therapy']
const networkLists = [['Harbor Choice'], ['Harbor Choice', 'Harbor Plus'], ['Open Access'], ['Harbor PPO – North']]
