/**
 * The services in the sample files. Codes come from the public code sets so that searches look real; the descriptions
 * are our own and the amounts are invented.
 */

export interface SampleService {
  readonly type: 'CPT' | 'HCPCS' | 'MS-DRG' | 'RC' | 'CDT'
  /** As published; revenue codes and DRGs also without their leading zeros. */
  readonly code: string
  readonly name: string
  /** Average price in US dollars. */
  readonly dollars: number
  /** Whether the interpretation of the test can also be billed separately. */
  readonly hasReading: boolean
}

type Row = readonly [code: string, name: string, dollars: number]

function servicesOf(type: SampleService['type'], rows: readonly Row[], hasReading = false): readonly SampleService[] {
  return rows.map(([code, name, dollars]) => ({ type, code, name, dollars, hasReading }))
}

export const visits = servicesOf('CPT', [
  ['99202', 'First visit, short', 74],
  ['99203', 'First visit, medium', 112],
  ['99204', 'First visit, long', 168],
  ['99205', 'First visit, longest', 222],
  ['99211', 'Return visit, brief', 24],
  ['99212', 'Return visit, short', 57],
  ['99213', 'Return visit, medium', 92],
  ['99214', 'Return visit, long', 130],
  ['99215', 'Return visit, longest', 183],
  ['99385', 'Yearly check, first, younger adult', 141],
  ['99395', 'Yearly check, return, younger adult', 127],
  ['99396', 'Yearly check, return, middle age', 136],
])

export const procedures = servicesOf('CPT', [
  ['10060', 'Abscess drained', 128],
  ['11102', 'Skin biopsy', 104],
  ['12001', 'Small wound repair', 96],
  ['20610', 'Large joint injection', 68],
  ['27130', 'Hip replacement', 1420],
  ['27447', 'Knee replacement', 1395],
  ['29881', 'Knee arthroscopy with repair', 560],
  ['43239', 'Upper endoscopy with sample', 402],
  ['45378', 'Colonoscopy without treatment', 368],
  ['45385', 'Colonoscopy with growth removed', 489],
  ['47562', 'Gallbladder removal', 735],
  ['59400', 'Delivery with care before and after', 2410],
  ['66984', 'Cataract surgery with new lens', 612],
])

export const tests = servicesOf(
  'CPT',
  [
    ['70450', 'CT of the head', 164],
    ['70551', 'MRI of the brain', 291],
    ['71046', 'Chest X-ray, two views', 34],
    ['73721', 'MRI of a leg joint', 287],
    ['77067', 'Screening mammogram', 142],
    ['80053', 'Blood panel, broad', 14],
    ['83036', 'Long-term blood sugar test', 13],
    ['85025', 'Blood count', 11],
    ['93000', 'Electrocardiogram', 21],
  ],
  true,
)

export const supplies = servicesOf('HCPCS', [
  ['A0429', 'Ambulance ride', 438],
  ['E0601', 'CPAP machine', 61],
  ['G0008', 'Flu shot', 31],
  ['G0121', 'Screening colonoscopy', 371],
  ['J0585', 'Nerve-calming injection, unit', 7],
  ['J1100', 'Anti-swelling injection, unit', 1],
])

export const stays = servicesOf('MS-DRG', [
  ['39', 'Stay for neck artery surgery', 8900],
  ['64', 'Stay for stroke, severe', 14800],
  ['193', 'Stay for pneumonia, severe', 11200],
  ['247', 'Stay for heart artery opening', 17600],
  ['291', 'Stay for heart failure, severe', 11900],
  ['392', 'Stay for digestive disorder', 6100],
  ['470', 'Stay for hip or knee replacement', 19400],
  ['743', 'Stay for hysterectomy', 9700],
  ['807', 'Stay for birth', 6400],
  ['871', 'Stay for sepsis, severe', 15900],
])

export const departments = servicesOf('RC', [
  ['0120', 'Day in a shared room', 1450],
  ['200', 'Day in intensive care', 3600],
  ['0278', 'Implant', 2100],
  ['0320', 'Imaging department', 240],
  ['360', 'Operating room', 2900],
  ['450', 'Emergency room', 810],
  ['0636', 'Specialty drug', 350],
])

export const dental = servicesOf('CDT', [
  ['D0120', 'Dental exam', 38],
  ['D0150', 'First dental exam', 62],
  ['D0274', 'Bitewing X-rays', 47],
  ['D1110', 'Teeth cleaned, adult', 74],
  ['D1120', 'Teeth cleaned, child', 55],
  ['D1206', 'Fluoride varnish', 28],
  ['D2391', 'White filling, one surface', 131],
  ['D2392', 'White filling, two surfaces', 168],
  ['D2740', 'Crown', 820],
  ['D3330', 'Root treatment, back tooth', 910],
  ['D4341', 'Gum treatment, one quarter', 192],
  ['D7140', 'Tooth extraction', 138],
])
