import { nearlyBegins, splitWords } from '../words.ts'

/**
 * Words that people say, and other words that names in payers' files have for the same, in our own words. Words lead to
 * words, never to codes, and no text of a licensed code set is among them. Each word of a line begins a word of a name:
 * `joint lower` finds "Joint, lower leg". One direction is a line; a line under the other word adds the other.
 */
const everydayWords: Readonly<Record<string, readonly string[]>> = {
  // Parts of the body
  abdomen: ['abdominal', 'belly'],
  ankle: ['leg joint', 'joint lower', 'jnt lwr', 'lower extremity'],
  back: ['spine', 'spinal', 'lumbar'],
  belly: ['abdomen', 'abdominal'],
  brain: ['head', 'cranial', 'intracranial'],
  breast: ['mammogram', 'mammography'],
  elbow: ['arm joint', 'joint upper', 'jnt upr', 'upper extremity'],
  eye: ['ophthalmic', 'ophthalmology', 'ocular'],
  foot: ['lower extremity', 'podiatric'],
  heart: ['cardiac', 'cardiovascular', 'cardio', 'coronary'],
  hip: ['leg joint', 'joint lower', 'jnt lwr', 'lower extremity'],
  kidney: ['renal', 'nephrology'],
  knee: ['leg joint', 'joint lower', 'jnt lwr', 'lower extremity'],
  'leg joint': ['knee', 'ankle', 'hip'],
  liver: ['hepatic', 'hepatology'],
  lung: ['pulmonary', 'chest'],
  shoulder: ['arm joint', 'joint upper', 'jnt upr', 'upper extremity'],
  skin: ['dermatology', 'cutaneous'],
  stomach: ['gastric', 'gastro'],
  wrist: ['arm joint', 'joint upper', 'jnt upr', 'upper extremity'],
  // Pictures
  'cat scan': ['ct', 'computed tomography'],
  ct: ['cat scan', 'computed tomography'],
  'computed tomography': ['ct', 'cat scan'],
  'magnetic resonance': ['mri', 'mr'],
  mammogram: ['mammography', 'breast imaging'],
  mri: ['magnetic resonance', 'mr imaging'],
  sonogram: ['ultrasound', 'us exam', 'echo'],
  ultrasound: ['sonogram', 'us exam', 'echography'],
  xray: ['radiograph', 'radiologic'],
  // Visits
  checkup: ['preventive', 'wellness', 'physical', 'periodic', 'office visit', 'return visit'],
  'doctor visit': ['office visit', 'return visit', 'outpatient visit', 'first visit', 'office outpatient'],
  er: ['emergency'],
  'emergency room': ['emergency department', 'emergency visit', 'emergency dept'],
  'office visit': [
    'return visit',
    'first visit',
    'outpatient visit',
    'office outpatient',
    'visit established',
    'visit new',
  ],
  physical: ['preventive', 'wellness', 'checkup'],
  therapy: ['psychotherapy', 'therapeutic', 'rehabilitation'],
  // Tests
  'blood draw': ['venipuncture', 'collection blood', 'drawing blood'],
  'blood test': [
    'blood count',
    'metabolic panel',
    'lipid panel',
    'blood draw',
    'venipuncture',
    'hemoglobin',
    'glucose',
  ],
  'blood work': ['blood count', 'metabolic panel', 'lipid panel', 'blood draw', 'venipuncture', 'hemoglobin'],
  cholesterol: ['lipid'],
  ecg: ['electrocardiogram', 'ekg'],
  ekg: ['electrocardiogram', 'ecg'],
  'heart test': ['electrocardiogram', 'ecg', 'ekg', 'stress test', 'echocardiogram'],
  'sugar test': ['glucose', 'hemoglobin'],
  'urine test': ['urinalysis'],
  // Treatment
  birth: ['delivery', 'obstetric', 'vaginal', 'cesarean'],
  'c section': ['cesarean'],
  childbirth: ['delivery', 'birth', 'vaginal', 'cesarean'],
  shot: ['injection', 'immunization', 'vaccine', 'vaccination'],
  stitches: ['suture', 'repair wound', 'wound repair'],
  surgery: ['operation', 'surgical', 'operating', 'replacement'],
  vaccine: ['vaccination', 'immunization'],
  // Doctors
  'family doctor': ['family medicine', 'general practice'],
  'heart doctor': ['cardiology', 'cardiovascular'],
  obgyn: ['obstetrics', 'gynecology'],
  pediatrician: ['pediatrics'],
  'skin doctor': ['dermatology'],
  therapist: ['psychologist', 'counselor', 'social worker', 'physical therap'],
}

/** A phrase of a query, with other words for it. */
export interface Phrase {
  /** The words of the query as they were typed, such as `X-ray`. */
  readonly typed: readonly string[]
  /** Each the words that mean the same together. */
  readonly synonyms: readonly (readonly string[])[]
}

const synonymsOf = new Map(
  Object.entries(everydayWords).map(([phrase, synonyms]) => [phrase, synonyms.map((text) => splitWords(text))]),
)

const longestPhrase = 3

/** Splits a query into phrases, from the left and the longest first. A word without synonyms is a phrase by itself. */
export function listPhrases(q: string): readonly Phrase[] {
  const typed = q.split(/\s+/u).filter((text) => splitWords(text).length > 0)
  const phrases = new Map<string, Phrase>()
  for (let start = 0; start < typed.length; ) {
    const phrase = phraseAt(typed.slice(start, start + longestPhrase))
    phrases.set(phrase.typed.join(' ').toLowerCase(), phrase)
    start += phrase.typed.length
  }
  return [...phrases.values()]
}

function phraseAt(typed: readonly string[]): Phrase {
  for (let length = typed.length; length > 0; length--) {
    const words = typed.slice(0, length)
    const synonyms = synonymsOf.get(keyOf(words)) ?? synonymsOf.get(keyOf(words).replace(/s$/, ''))
    if (synonyms !== undefined) return { typed: words, synonyms }
  }
  return { typed: typed.slice(0, 1), synonyms: [] }
}

/** `X-ray` is one word of a query. */
const keyOf = (typed: readonly string[]): string => typed.map((text) => splitWords(text).join('')).join(' ')

/** Returns the phrase that one mistyped word may mean: `shouldr`. */
export function phraseFor(typed: string): Phrase | undefined {
  const word = keyOf([typed])
  const [entry] = [...synonymsOf].filter(([phrase]) => nearlyBegins(word, phrase) && phrase.length <= word.length + 1)
  return entry && { typed: [entry[0]], synonyms: entry[1] }
}
