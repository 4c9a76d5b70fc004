import { errorBody, fault, serviceError } from './schemas/error.ts'
import { estimate, estimatedFeeSchedule } from './schemas/estimates.ts'
import {
  askedFeeSchedule,
  askedPlansOfId,
  catalogueEntry,
  feeSchedule,
  feeSchedulesPage,
  namedFeeSchedule,
  plansOfId,
} from './schemas/fee-schedules.ts'
import { foundProviders, namedProvider } from './schemas/providers.ts'
import { askedProviders, providers, searchRequest } from './schemas/requests/search-request.ts'
import {
  appliedRequest,
  checksum,
  completedManifest,
  failedManifest,
  manifest,
  manifestAttempt,
  manifestFeeSchedule,
  manifestShard,
  resultColumn,
  runningManifest,
  withoutRows,
} from './schemas/results/manifest.ts'
import { resultRow, resultRows } from './schemas/results/rows.ts'
import {
  completedListItem,
  failedListItem,
  listedFilter,
  processingListItem,
  queuedListItem,
  searchesPage,
  searchListItem,
} from './schemas/search-list.ts'
import { completedSearch, failedSearch, runningSearch, search } from './schemas/searches.ts'
import { appliedSummary, summary } from './schemas/summaries.ts'
import { billingCodesPage, namedBillingCode, specialtiesPage, specialty } from './schemas/vocabulary.ts'

/** The schemas that have names in the API's document. */
export const components = {
  SearchRequest: searchRequest,
  FeeSchedule: feeSchedule,
  PlansOfId: plansOfId,
  Providers: providers,
  Summary: summary,
  Search: search,
  RunningSearch: runningSearch,
  CompletedSearch: completedSearch,
  FailedSearch: failedSearch,
  Manifest: manifest,
  RunningManifest: runningManifest,
  CompletedManifest: completedManifest,
  FailedManifest: failedManifest,
  AppliedRequest: appliedRequest,
  ManifestAttempt: manifestAttempt,
  ManifestFeeSchedule: manifestFeeSchedule,
  ManifestShard: manifestShard,
  ManifestWithoutRows: withoutRows,
  Checksum: checksum,
  ResultColumn: resultColumn,
  ResultRows: resultRows,
  ResultRow: resultRow,
  FeeSchedulesPage: feeSchedulesPage,
  CatalogueEntry: catalogueEntry,
  BillingCodesPage: billingCodesPage,
  NamedBillingCode: namedBillingCode,
  SpecialtiesPage: specialtiesPage,
  Specialty: specialty,
  FoundProviders: foundProviders,
  NamedProvider: namedProvider,
  SearchesPage: searchesPage,
  SearchListItem: searchListItem,
  QueuedListItem: queuedListItem,
  ProcessingListItem: processingListItem,
  CompletedListItem: completedListItem,
  FailedListItem: failedListItem,
  NamedFeeSchedule: namedFeeSchedule,
  AskedFeeSchedule: askedFeeSchedule,
  AskedPlansOfId: askedPlansOfId,
  AskedProviders: askedProviders,
  ListedFilter: listedFilter,
  AppliedSummary: appliedSummary,
  Estimate: estimate,
  EstimatedFeeSchedule: estimatedFeeSchedule,
  ErrorBody: errorBody,
  ServiceError: serviceError,
  Fault: fault,
} as const
