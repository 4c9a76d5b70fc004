import { draw, drawFactor, drawOne } from './draws.ts'
import type { InNetworkFile, InNetworkItem, NegotiatedPrice, NegotiatedRate } from './in-network-file.ts'
import type { Practice } from './practices.ts'
import { departments, hospitalServices, practiceServices, type Service } from './services.ts'

/** A plan of the employer Harbor Foods, which offers two of them under its one EIN. */
export interface EmployerPlan {
  readonly payer: string
  readonly plan: string
  readonly network: string
  readonly lastUpdatedOn: string
  /** Share of the practices that are in the network. */
  readonly breadth: number
  /** Amounts of the plan as a share of the market's. */
  readonly level: number
  /** Beginning of the names of its files. */
  readonly file: string
}

export const employerPlans: readonly EmployerPlan[] = [
  {
    ...{ payer: 'Blue Harbor Health', plan: 'Harbor Choice Plus', network: 'Harbor Choice' },
    ...{ lastUpdatedOn: '2026-11-01', breadth: 0.97, level: 1.06, file: 'blue-harbor-choice-plus' },
  },
  {
    ...{ payer: 'Summit Ridge Insurance', plan: 'Ridge Open Access', network: 'Ridge Open' },
    ...{ lastUpdatedOn: '2026-11-01', breadth: 0.9, level: 0.91, file: 'summit-ridge-open-access' },
  },
]

/** Share of the practices that take the payer's own fee schedule, the same amounts for all of them. */
const standardShare = 0.12

/** Share of the hospitals that are paid a percentage of their charges for services without a stay. */
const percentageShare = 0.15

/** Makes the two files of a plan, by their names: one of practices, one of hospitals. */
export function makePlanFiles(
  plan: EmployerPlan,
  practices: readonly Practice[],
): Readonly<Record<string, InNetworkFile>> {
  const members = practices
    .filter(({ tin }) => draw('member', plan.plan, tin) < plan.breadth)
    .map((practice, index): Member => ({ ...practice, group: 1001 + index }))
  const hospitals = members.filter(({ kind }) => kind === 'hospital')
  const [blanketHospital] = hospitals
  if (blanketHospital === undefined) throw new RangeError(`${plan.plan} has no hospital`)
  const contractedHospitals = hospitals.slice(1)
  const blanket = pricesOfEverything(blanketHospital)
  const hospitalItems = hospitalServices.map((service) => blanket(describeItem(plan, service, contractedHospitals)))
  const departmentItems = Object.entries(departments).map(([code, name]) =>
    blanket(itemOf({ type: 'RC', code, name }, [])),
  )
  return {
    [`${plan.file}-professional.json.gz`]: {
      ...headOf(
        plan,
        members.filter(({ kind }) => kind !== 'hospital'),
      ),
      in_network: practiceServices.map((service) => describeItem(plan, service, members)),
    },
    [`${plan.file}-facility.json.gz`]: {
      ...headOf(plan, hospitals),
      in_network: [...hospitalItems, ...departmentItems],
    },
  }
}

/** A practice in a plan's network. */
interface Member extends Practice {
  readonly group: number
}

const headOf = (
  { payer, plan, network, lastUpdatedOn }: EmployerPlan,
  members: readonly Member[],
): Omit<InNetworkFile, 'in_network'> => ({
  reporting_entity_name: payer,
  reporting_entity_type: 'health insurance issuer',
  plan_name: plan,
  issuer_name: payer,
  plan_sponsor_name: 'Harbor Foods Cooperative',
  plan_id_type: 'ein',
  plan_id: '00-1234567',
  plan_market_type: 'group',
  last_updated_on: lastUpdatedOn,
  version: '2.0.0',
  provider_references: members.map(({ group, npis, tin, name }) => ({
    provider_group_id: group,
    network_name: [network],
    provider_groups: [{ npi: npis, tin: { type: 'ein', value: tin, business_name: name } }],
  })),
})

const itemOf = (
  { type, code, name }: Pick<Service, 'type' | 'code' | 'name'>,
  rates: readonly NegotiatedRate[],
): InNetworkItem => ({
  negotiation_arrangement: 'ffs',
  name,
  billing_code_type: type,
  billing_code_type_version: type === 'MS-DRG' ? '44' : '2026',
  billing_code: code,
  description: name,
  negotiated_rates: rates,
})

function describeItem(plan: EmployerPlan, service: Service, members: readonly Member[]): InNetworkItem {
  const sellers = members.filter(({ kind }) => service.kinds.includes(kind))
  const isStandard = ({ kind, tin }: Member) => kind !== 'hospital' && draw('standard', plan.plan, tin) < standardShare
  const standardSellers = sellers.filter(isStandard)
  const contractRates = sellers
    .filter((member) => !isStandard(member))
    .map(({ group, ...practice }) => ({
      provider_references: [group],
      negotiated_prices: describePrices(plan, service, practice),
    }))
  if (standardSellers.length === 0) return itemOf(service, contractRates)
  const standardRate = {
    provider_references: standardSellers.map(({ group }) => group),
    negotiated_prices: describePrices(plan, service, 'standard'),
  }
  return itemOf(service, [standardRate, ...contractRates])
}

/** Prices of a service at a practice, or of the payer's own fee schedule. */
function describePrices(
  plan: EmployerPlan,
  service: Service,
  seller: Pick<Practice, 'kind' | 'tin'> | 'standard',
): readonly NegotiatedPrice[] {
  const name = seller === 'standard' ? seller : seller.tin
  const isPercentage =
    service.unit === 'percentage' ||
    (service.billingClass === 'institutional' &&
      service.setting === 'outpatient' &&
      draw('percentage', plan.plan, name) < percentageShare)
  const strength = drawFactor(0.22, 'strength', name) * drawFactor(0.07, 'amount', plan.plan, service.code, name)
  const terms = {
    expiration_date: draw('expired', plan.plan, service.code, name) < 0.015 ? '2026-06-30' : '9999-12-31',
    ...(service.billingClass === 'professional' && { service_code: ['11', '22'] }),
    billing_class: service.billingClass,
    setting: service.setting,
  }
  if (isPercentage) {
    const share = service.unit === 'percentage' ? service.amount : 58
    const rate = Math.min(95, Math.round(share * Math.sqrt(strength) * 10) / 10)
    return [{ negotiated_type: 'percentage', negotiated_rate: rate, ...terms }]
  }
  const negotiated_type = typeOf(service, seller === 'standard')
  const amount = service.amount * plan.level * (seller === 'standard' ? 0.86 : strength)
  const whole = { negotiated_type, negotiated_rate: distort(inCents(amount), plan, service, name), ...terms }
  const parts = Object.entries(seller !== 'standard' && seller.kind !== 'imaging' ? {} : (service.parts ?? {}))
  return [
    whole,
    ...parts.map(([modifier, share]) => ({
      ...{ negotiated_type, negotiated_rate: inCents(amount * share), ...terms, billing_code_modifier: [modifier] },
    })),
  ]
}

function typeOf({ unit }: Service, isStandard: boolean): NegotiatedPrice['negotiated_type'] {
  if (unit === 'a day') return 'per diem'
  return isStandard ? 'fee schedule' : 'negotiated'
}

const inCents = (amount: number) => Math.round(amount * 100) / 100

/** Doubtful amounts, as payers publish them: placeholders, and amounts of another unit or with a shifted point. */
function distort(amount: number, plan: EmployerPlan, { code }: Service, name: string): number {
  const luck = draw('doubtful', plan.plan, code, name)
  if (name === 'standard' || luck >= 0.024) return amount
  if (luck < 0.008) return drawOne([0.01, 1, 99_999.99], 'placeholder', code, name)
  return luck < 0.016 ? inCents(amount * 30) : inCents(amount / 30)
}

/** Returns a function that adds the price of a hospital to an item; it is paid one percentage for everything. */
function pricesOfEverything({ group }: Member): (item: InNetworkItem) => InNetworkItem {
  return (item) => ({
    ...item,
    negotiated_rates: [
      {
        provider_references: [group],
        negotiated_prices: [
          {
            ...{ negotiated_type: 'percentage', negotiated_rate: 62.5, expiration_date: '9999-12-31' },
            ...{
              billing_class: 'institutional',
              setting: item.billing_code_type === 'MS-DRG' ? 'inpatient' : 'outpatient',
            },
          },
        ],
      },
      ...item.negotiated_rates,
    ],
  })
}
