import { draw, drawOne } from './draws.ts'
import { makeNpi } from './npi.ts'

/** A group of providers with one TIN. */
export interface Practice {
  readonly kind: PracticeKind
  readonly name: string
  /** An EIN with its hyphen; no EIN that exists begins with 00. */
  readonly tin: string
  /** The first NPI is that of the practice itself, the others are those of its people. */
  readonly npis: readonly number[]
}

/**
 * The practices of each kind: their number, the endings of their names, and the range of the number of their people.
 */
const kinds = [
  { kind: 'family', count: 104, endings: ['Family Medicine', 'Family Practice', 'Primary Care'], people: [1, 4] },
  { kind: 'internal', count: 60, endings: ['Internal Medicine', 'Medical Associates'], people: [1, 4] },
  { kind: 'pediatrics', count: 34, endings: ['Pediatrics', 'Children’s Clinic'], people: [1, 3] },
  { kind: 'orthopedics', count: 42, endings: ['Orthopedics', 'Bone and Joint'], people: [1, 5] },
  { kind: 'digestive', count: 26, endings: ['Digestive Care', 'Gastroenterology'], people: [1, 3] },
  { kind: 'heart', count: 24, endings: ['Heart Clinic', 'Cardiology'], people: [1, 4] },
  { kind: 'imaging', count: 58, endings: ['Imaging', 'Radiology', 'MRI Center'], people: [1, 3] },
  { kind: 'laboratory', count: 14, endings: ['Laboratory'], people: [0, 0] },
  { kind: 'hospital', count: 34, endings: ['Hospital', 'Medical Center', 'Community Hospital'], people: [3, 9] },
] as const

export type PracticeKind = (typeof kinds)[number]['kind']

/** The kinds that bill visits to their office. */
export const officeKinds: readonly PracticeKind[] = [
  'family',
  'internal',
  'pediatrics',
  'orthopedics',
  'digestive',
  'heart',
]

const trees = [
  ...['Alder', 'Aspen', 'Birch', 'Cedar', 'Cherry', 'Cottonwood', 'Dogwood', 'Elm', 'Fern', 'Fir', 'Hawthorn', 'Hazel'],
  ...['Hemlock', 'Holly', 'Juniper', 'Larch', 'Laurel', 'Linden', 'Madrone', 'Maple', 'Myrtle', 'Oak', 'Pine', 'Rowan'],
  ...['Sage', 'Spruce', 'Sumac', 'Tamarack', 'Willow', 'Yarrow', 'Yew', 'Heather', 'Clover'],
]
const towns = ['Bay', 'Bend', 'Creek', 'Falls', 'Glen', 'Hill', 'Hollow', 'Lake', 'Meadow', 'Point', 'Ridge', 'Springs']

/** Coprime to the number of names, so that the walk meets each once and neighbours do not look alike. */
const stride = 97

function nameOf(index: number): string {
  const at = (index * stride) % (trees.length * towns.length)
  const [tree, town] = [trees[at % trees.length], towns[Math.floor(at / trees.length)]]
  if (tree === undefined || town === undefined) throw new RangeError(`no name has the index ${index}`)
  return `${tree} ${town}`
}

/** Makes the practices of a market, the same at every call: some 400 with some 1,400 NPIs. */
export function makePractices(): readonly Practice[] {
  const practices: Practice[] = []
  let npis = 0
  for (const { kind, count, endings, people } of kinds) {
    const [minPeople, maxPeople] = people
    for (let number = 0; number < count; number++) {
      const index = practices.length
      const members = minPeople + Math.floor(draw('people', index) * (maxPeople - minPeople + 1))
      practices.push({
        kind,
        name: `${nameOf(index)} ${drawOne<string>(endings, 'ending', index)}`,
        tin: `00-${3_100_007 + index * 1_931}`,
        npis: Array.from({ length: members + 1 }, () => makeNpi(npis++)),
      })
    }
  }
  return practices
}
