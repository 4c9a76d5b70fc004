import { nameSome } from '../../schema/phrases.ts'
import { everywhere, many, maxListed } from '../../schema/summary/definition.ts'

/**
 * Names of places of service by their codes. Source: CMS, "Place of Service Code Set", as of May 2, 2024, with the code
 * 66 of August 1, 2024; checked against its publication by HL7, `CMSPlaceofServiceCodes` 20240502.
 */
const placeNames: Readonly<Record<string, string>> = {
  '01': 'Pharmacy',
  '02': 'Telehealth provided other than in patient’s home',
  '03': 'School',
  '04': 'Homeless shelter',
  '05': 'Indian Health Service free-standing facility',
  '06': 'Indian Health Service provider-based facility',
  '07': 'Tribal 638 free-standing facility',
  '08': 'Tribal 638 provider-based facility',
  '09': 'Prison or correctional facility',
  '10': 'Telehealth provided in patient’s home',
  '11': 'Office',
  '12': 'Home',
  '13': 'Assisted living facility',
  '14': 'Group home',
  '15': 'Mobile unit',
  '16': 'Temporary lodging',
  '17': 'Walk-in retail health clinic',
  '18': 'Worksite',
  '19': 'Off-campus outpatient hospital',
  '20': 'Urgent care facility',
  '21': 'Inpatient hospital',
  '22': 'On-campus outpatient hospital',
  '23': 'Emergency room, hospital',
  '24': 'Ambulatory surgical center',
  '25': 'Birthing center',
  '26': 'Military treatment facility',
  '27': 'Outreach site or street',
  '31': 'Skilled nursing facility',
  '32': 'Nursing facility',
  '33': 'Custodial care facility',
  '34': 'Hospice',
  '41': 'Ambulance, land',
  '42': 'Ambulance, air or water',
  '49': 'Independent clinic',
  '50': 'Federally qualified health center',
  '51': 'Inpatient psychiatric facility',
  '52': 'Psychiatric facility, partial hospitalization',
  '53': 'Community mental health center',
  '54': 'Intermediate care facility for individuals with intellectual disabilities',
  '55': 'Residential substance abuse treatment facility',
  '56': 'Psychiatric residential treatment center',
  '57': 'Non-residential substance abuse treatment facility',
  '58': 'Non-residential opioid treatment facility',
  '60': 'Mass immunization center',
  '61': 'Comprehensive inpatient rehabilitation facility',
  '62': 'Comprehensive outpatient rehabilitation facility',
  '65': 'End-stage renal disease treatment facility',
  '66': 'Programs of All-Inclusive Care for the Elderly (PACE) center',
  '71': 'Public health clinic',
  '72': 'Rural health clinic',
  '81': 'Independent laboratory',
  '99': 'Other place of service',
}

/** Names a place of service with its code, such as "Office (11)"; a code without a name stands alone. */
export function namePlace(code: string): string {
  if (code === many) return `more than ${maxListed} places`
  const name = placeNames[code]
  return name === undefined ? code : `${name} (${code})`
}

/** Says in a title at which place prices hold. */
export function placeInTitle(code: string): string {
  if (code === everywhere) return 'at any place of service'
  return code === many ? `at ${namePlace(code)} of service` : `place of service ${namePlace(code)}`
}

/** Names a place at which a price holds, which may be any. */
export const describePlace = (code: string): string => (code === everywhere ? 'any place' : namePlace(code))

/** Maximum numbers of places with names, and of codes of places, that a line has room for. */
const [maxNames, maxCodes] = [2, 12]

/**
 * Names places of service with their codes, such as "Office, On-campus outpatient hospital (11, 22)"; of many, only the
 * codes.
 */
export function namePlaces(codes: readonly string[]): string {
  const [first = '', ...others] = codes
  if (others.length === 0) return first === everywhere ? `any place (${everywhere})` : namePlace(first)
  const names = codes.flatMap((code) => placeNames[code] ?? [])
  const codeList = nameSome(codes, maxCodes)
  return codes.length > maxNames || names.length < codes.length ? codeList : `${names.join(', ')} (${codeList})`
}
