import type { FailureWord } from '../../contract/failure-words.ts'

/** Titles of failures, by the word that the error begins with. */
const titles: Readonly<Record<FailureWord, string>> & Readonly<Record<string, string>> = {
  unsupported_fee_schedule: 'A fee schedule was not found',
  ambiguous_fee_schedule: 'A plan name is ambiguous',
  not_loaded: 'Not all of these rates are loaded',
  not_kept: 'Rates of this day are not kept',
  cancelled: 'The search was cancelled',
  timeout: 'The search took too long',
  nothing_read: 'The rates could not be read',
  file_missing: 'A file of the rates is missing',
  too_broad: 'The search reads too much',
  result_too_large: 'The result is too large',
  internal: 'Internal error',
}

/** Splits the error of a failed search into a title and the sentence that says what to do. */
export function describeFailure(error: string): { readonly title: string; readonly advice: string } {
  const [, word = '', sentence = ''] = /^(\w+): (.*)$/s.exec(error) ?? ['', '', error]
  return { title: titles[word] ?? 'The search failed', advice: forPeople(sentence) }
}

/** Replaces the calls that a message names for programs by the form, where people find the same. */
export const forPeople = (sentence: string) =>
  sentence
    .replace(/List what is supported with GET .*$/s, 'Change this search, and choose from the list there.')
    .replace(/See `changed_on` in GET .*$/s, 'Choose a later day.')
    .replace(/ with GET \S+$/, ' in the form.')
