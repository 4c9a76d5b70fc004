import { officeKinds, type PracticeKind } from './practices.ts'

/** A service, with the kinds of practices that have prices for it. */
export interface Service {
  readonly type: 'CPT' | 'MS-DRG' | 'RC'
  readonly code: string
  readonly name: string
  /** Amount in the middle of a market: dollars, dollars a day, or a percentage of charges. */
  readonly amount: number
  readonly unit: 'dollars' | 'a day' | 'percentage'
  readonly kinds: readonly PracticeKind[]
  readonly billingClass: 'professional' | 'institutional'
  readonly setting: 'inpatient' | 'outpatient'
  /** Shares of the amount for which a part of the service is priced, by modifier. */
  readonly parts?: Readonly<Record<string, number>>
}

const ofPractice = (code: string, name: string, amount: number, ...kinds: readonly PracticeKind[]): Service => ({
  ...{ type: 'CPT', code, name, amount, unit: 'dollars', kinds },
  ...{ billingClass: 'professional', setting: 'outpatient' },
})

/** Imaging: the reading of a picture (26) and the use of the machine (TC) are priced apart as well. */
const ofImaging = (code: string, name: string, amount: number, ...kinds: readonly PracticeKind[]): Service => ({
  ...ofPractice(code, name, amount, 'imaging', ...kinds),
  parts: { 26: 0.28, TC: 0.72 },
})

const ofHospital = (
  service: Pick<Service, 'type' | 'code' | 'name' | 'amount'> & Partial<Pick<Service, 'unit' | 'setting'>>,
): Service => ({
  unit: 'dollars',
  setting: 'outpatient',
  kinds: ['hospital'],
  billingClass: 'institutional',
  ...service,
})

const stay = (code: string, name: string, amount: number) =>
  ofHospital({ type: 'MS-DRG', code, name: `Stay for ${name}`, amount, setting: 'inpatient' })

/** Services of practices. The amounts are of the size that commercial payers pay. */
export const practiceServices: readonly Service[] = [
  ofPractice('99203', 'First visit, medium', 124, ...officeKinds),
  ofPractice('99213', 'Return visit, medium', 101, ...officeKinds),
  ofPractice('99214', 'Return visit, long', 143, ...officeKinds),
  ofPractice('20610', 'Large joint injection', 84, 'orthopedics'),
  ofPractice('27447', 'Knee replacement', 1580, 'orthopedics'),
  ofPractice('29881', 'Knee arthroscopy with repair', 690, 'orthopedics'),
  ofPractice('45378', 'Colonoscopy without treatment', 420, 'digestive'),
  ofPractice('45385', 'Colonoscopy with growth removed', 560, 'digestive'),
  ofImaging('70551', 'MRI of the brain', 345),
  ofImaging('73721', 'MRI of a leg joint', 338, 'orthopedics'),
  ofImaging('77067', 'Screening mammogram', 158),
  ofPractice('80053', 'Blood panel, broad', 14, 'laboratory', 'internal'),
  ofPractice('85025', 'Blood count', 11, 'laboratory', 'internal'),
  ofPractice('93000', 'Electrocardiogram', 21, 'heart', 'internal'),
  ofPractice('93306', 'Ultrasound of the heart', 262, 'heart'),
]

/** Services of hospitals. */
export const hospitalServices: readonly Service[] = [
  stay('64', 'stroke, severe', 15_900),
  stay('193', 'pneumonia, severe', 12_100),
  stay('291', 'heart failure, severe', 12_700),
  stay('392', 'digestive disorder', 6_900),
  stay('470', 'hip or knee replacement', 21_800),
  stay('743', 'hysterectomy', 10_400),
  stay('807', 'birth', 7_100),
  stay('871', 'sepsis, severe', 16_900),
  ofHospital({
    type: 'RC',
    code: '0120',
    name: 'Day in a shared room',
    amount: 1_580,
    unit: 'a day',
    setting: 'inpatient',
  }),
  ofHospital({
    type: 'RC',
    code: '0200',
    name: 'Day in intensive care',
    amount: 3_900,
    unit: 'a day',
    setting: 'inpatient',
  }),
  ofHospital({ type: 'RC', code: '0278', name: 'Implant', amount: 52, unit: 'percentage' }),
  ofHospital({ type: 'RC', code: '0360', name: 'Operating room', amount: 3_050 }),
  ofHospital({ type: 'RC', code: '0450', name: 'Emergency room', amount: 870 }),
  ofHospital({ type: 'RC', code: '0636', name: 'Specialty drug', amount: 47, unit: 'percentage' }),
  ofHospital({ type: 'CPT', code: '27447', name: 'Knee replacement', amount: 16_800 }),
  ofHospital({ type: 'CPT', code: '45378', name: 'Colonoscopy without treatment', amount: 1_420 }),
  ofHospital({ type: 'CPT', code: '73721', name: 'MRI of a leg joint', amount: 790 }),
  ofHospital({ type: 'CPT', code: '99284', name: 'Emergency visit, severe', amount: 1_090 }),
]

/** Departments that only a hospital with one percentage for everything has prices for, by revenue code. */
export const departments: Readonly<Record<string, string>> = {
  '0250': 'Pharmacy',
  '0258': 'Solutions for infusion',
  '0260': 'Infusion',
  '0270': 'Supplies',
  '0272': 'Sterile supplies',
  '0300': 'Laboratory',
  '0301': 'Laboratory, chemistry',
  '0302': 'Laboratory, immunology',
  '0305': 'Laboratory, blood',
  '0306': 'Laboratory, bacteria',
  '0310': 'Tissue laboratory',
  '0320': 'Imaging department',
  '0324': 'Chest X-ray',
  '0333': 'Radiation treatment',
  '0341': 'Nuclear medicine',
  '0350': 'CT',
  '0351': 'CT of the head',
  '0352': 'CT of the body',
  '0370': 'Anesthesia',
  '0390': 'Blood storage',
  '0402': 'Ultrasound',
  '0403': 'Mammography',
  '0404': 'PET',
  '0410': 'Breathing treatment',
  '0420': 'Physical therapy',
  '0424': 'Physical therapy, first visit',
  '0430': 'Occupational therapy',
  '0434': 'Occupational therapy, first visit',
  '0440': 'Speech therapy',
  '0460': 'Lung tests',
  '0480': 'Heart department',
  '0481': 'Heart catheter',
  '0483': 'Ultrasound of the heart',
  '0490': 'Day surgery',
  '0510': 'Clinic',
  '0610': 'MRI',
  '0611': 'MRI of the brain',
  '0612': 'MRI of the spine',
  '0621': 'Supplies for imaging',
  '0710': 'Recovery room',
  '0720': 'Labor room',
  '0730': 'Electrocardiogram',
  '0740': 'Electroencephalogram',
  '0750': 'Endoscopy',
  '0761': 'Treatment room',
  '0762': 'Observation',
  '0771': 'Giving of a vaccine',
  '0921': 'Vessel tests',
  '0943': 'Heart rehabilitation',
}
