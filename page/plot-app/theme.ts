/** The condition of the rules of a style sheet for dark mode. */
const dark = /prefers-color-scheme:\s*dark/

/**
 * Returns a function that shows a document in the theme of its host, which may differ from that of the browser: the
 * rules for dark mode are made to hold always, or never.
 */
export function makeThemeSwitch(own: Document): (theme: 'light' | 'dark') => void {
  const rules = [...own.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  const darkRules = rules
    .filter((rule) => rule instanceof CSSMediaRule)
    .filter(({ media }) => dark.test(media.mediaText))
  return (theme) => {
    own.documentElement.style.colorScheme = theme
    for (const { media } of darkRules) media.mediaText = theme === 'dark' ? 'all' : 'not all'
  }
}
