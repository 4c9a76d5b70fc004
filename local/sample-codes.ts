/**
 * The services of the sample files. The codes are those of the public code sets, because searches for them must look
 * real; the words are ours, and the amounts are invented.
 */

export interface SampleService {
  readonly type: 'CPT' | 'HCPCS' | 'MS-DRG' | 'RC' | 'CDT'
  /** As published; revenue codes and DRGs also without their leading zero. */
  readonly code: string
  readonly name: string
  /** What a middling payer pays, in US dollars. */
  readonly dollars: number
  /** Whether reading the test is also paid by itself. */
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
  ['11102', 'Skin sample taken', 104],
  ['12001', 'Small wound closed', 96],
  ['20610', 'Large joint injected', 68],
  ['27130', 'New hip', 1420],
  ['27447', 'New knee', 1395],
  ['29881', 'Knee looked into and mended', 560],
  ['43239', 'Stomach looked into, sample taken', 402],
  ['45378', 'Bowel looked into', 368],
  ['45385', 'Bowel looked into, growth removed', 489],
  ['47562', 'Gall bladder removed', 735],
  ['59400', 'Birth with care before and after', 2410],
  ['66984', 'New eye lens', 612],
])

export const tests = servicesOf(
  'CPT',
  [
    ['70450', 'Head scan', 164],
    ['70551', 'Brain picture by magnet', 291],
    ['71046', 'Chest picture, two views', 34],
    ['73721', 'Leg joint picture by magnet', 287],
    ['77067', 'Breast screening', 142],
    ['80053', 'Blood panel, broad', 14],
    ['83036', 'Blood sugar over months', 13],
    ['85025', 'Blood count', 11],
    ['93000', 'Heart tracing', 21],
  ],
  true,
)

export const supplies = servicesOf('HCPCS', [
  ['A0429', 'Ambulance ride', 438],
  ['E0601', 'Breathing machine for the night', 61],
  ['G0008', 'Flu shot given', 31],
  ['G0121', 'Bowel screening', 371],
  ['J0585', 'Nerve-calming injection, unit', 7],
  ['J1100', 'Anti-swelling injection, unit', 1],
])

export const stays = servicesOf('MS-DRG', [
  ['39', 'Stay for neck artery surgery', 8900],
  ['64', 'Stay for stroke, severe', 14800],
  ['193', 'Stay for pneumonia, severe', 11200],
  ['247', 'Stay for heart artery opening', 17600],
  ['291', 'Stay for heart failure, severe', 11900],
  ['392', 'Stay for stomach trouble', 6100],
  ['470', 'Stay for new hip or knee', 19400],
  ['743', 'Stay for womb removal', 9700],
  ['807', 'Stay for birth', 6400],
  ['871', 'Stay for blood poisoning, severe', 15900],
])

export const departments = servicesOf('RC', [
  ['0120', 'Day in a shared room', 1450],
  ['200', 'Day in intensive care', 3600],
  ['0278', 'Implant', 2100],
  ['0320', 'Imaging department', 240],
  ['360', 'Operating room', 2900],
  ['450', 'Emergency room', 810],
  ['0636', 'Costly drug', 350],
])

export const dental = servicesOf('CDT', [
  ['D0120', 'Dental check', 38],
  ['D0150', 'First dental check', 62],
  ['D0274', 'Bite pictures', 47],
  ['D1110', 'Teeth cleaned, adult', 74],
  ['D1120', 'Teeth cleaned, child', 55],
  ['D1206', 'Fluoride varnish', 28],
  ['D2391', 'White filling, one surface', 131],
  ['D2392', 'White filling, two surfaces', 168],
  ['D2740', 'Crown', 820],
  ['D3330', 'Root treatment, back tooth', 910],
  ['D4341', 'Gum treatment, one quarter', 192],
  ['D7140', 'Tooth pulled', 138],
])
