/** What is wrong with how a page looks, as far as a program can see it in its boxes. */
import type { Page } from './browser.ts'

/** How many pixels the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )

const states = JSON.stringify(
  '[aria-current]:not([aria-current="false"]), [aria-pressed="true"], [data-highlighted]',
)

/** Lines of text and controls that are on the screen; what only a screen reader has is not. */
const boxesOf = `
  const states = ${states}
  const isSeen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && one.closest('.sr-only, [aria-hidden="true"], option') === null
  const isControl = (one) => one.matches('a, button, input, select, textarea, summary')
  const floats = (one) => {
    for (let at = one; at !== null; at = at.parentElement)
      if (['fixed', 'sticky', 'absolute'].includes(getComputedStyle(at).position)) return true
    return false
  }
  const nameOf = (one) => one.tagName.toLowerCase() + ' “' +
    (one.getAttribute('aria-label') ?? one.innerText ?? '').trim().slice(0, 40) + '”'
  const seen = [...document.querySelectorAll('body *')].filter(isSeen)
  const hasText = (one) => [...one.childNodes].some(
    (node) => node.nodeType === 3 && node.data.trim() !== '')
  const rectsOf = (one) => {
    if (isControl(one)) return [...one.getClientRects()]
    const range = document.createRange()
    return [...one.childNodes].filter((node) => node.nodeType === 3).flatMap((node) => {
      range.selectNodeContents(node)
      return [...range.getClientRects()]
    })
  }
  // What scrolls or is shortened on purpose shows only a part of its box.
  const clipOf = (one) => {
    let clip = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 }
    const first = isControl(one) ? one.parentElement : one
    for (let at = first; at !== null && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflow === 'visible') continue
      const box = at.getBoundingClientRect()
      clip = {
        left: Math.max(clip.left, box.left), top: Math.max(clip.top, box.top),
        right: Math.min(clip.right, box.right), bottom: Math.min(clip.bottom, box.bottom),
      }
    }
    return clip
  }
  const cut = (rect, clip) => ({
    left: Math.max(rect.left, clip.left), top: Math.max(rect.top, clip.top),
    right: Math.min(rect.right, clip.right), bottom: Math.min(rect.bottom, clip.bottom),
  })`

const clippedControls = `(() => {
  ${boxesOf}
  return seen.filter(isControl).flatMap((one) => {
    const box = one.getBoundingClientRect()
    const style = getComputedStyle(one)
    const isTyped = one.matches('input, select, textarea')
    const inner = [...one.querySelectorAll('*')]
    const isShortened = [one, ...inner].some(
      (part) => getComputedStyle(part).textOverflow === 'ellipsis')
    const isTooWide = !isTyped && !isShortened && style.display !== 'inline'
      && one.scrollWidth > one.clientWidth + 1
    const isTooHigh = !one.matches('textarea') && style.display !== 'inline'
      && one.scrollHeight > one.clientHeight + 1
    const clip = clipOf(one)
    const scrolls = (() => {
      for (let at = one.parentElement; at !== null; at = at.parentElement)
        if (/auto|scroll/.test(getComputedStyle(at).overflow)) return true
      return false
    })()
    const isCut = !scrolls && (box.left < clip.left - 1 || box.right > clip.right + 1
      || box.top < clip.top - 1 || box.bottom > clip.bottom + 1)
    const isOutside = !scrolls && style.position !== 'fixed'
      && (box.left < -1 || box.right > innerWidth + 1)
    return isTooWide || isTooHigh || isCut || isOutside ? [nameOf(one) + ' is clipped'] : []
  })
})()`

const overlaps = `(() => {
  ${boxesOf}
  const boxes = seen.filter((one) => (isControl(one) || hasText(one)) && !floats(one))
    .flatMap((one) => {
      const clip = clipOf(one)
      return rectsOf(one).map((rect) => ({ one, rect: cut(rect, clip) }))
    })
  const found = []
  for (const [i, a] of boxes.entries())
    for (const b of boxes.slice(i + 1)) {
      if (a.one.contains(b.one) || b.one.contains(a.one)) continue
      if (a.one.closest('label')?.contains(b.one) && a.one.closest('label') !== null) continue
      const width = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left)
      const height = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top)
      if (width > 3 && height > 3) found.push(nameOf(a.one) + ' overlaps ' + nameOf(b.one))
    }
  return found
})()`

/** Controls that show less than they have, and controls or texts that lie upon another. */
export const brokenBoxes = async (page: Page): Promise<string[]> => [
  ...(await page.evaluate<string[]>(clippedControls)),
  ...(await page.evaluate<string[]>(overlaps)),
]

/**
 * Marks what a reader tells from its surroundings by its background: a control or a current place
 * without an edge, and a mark without text, such as a bar of a chart.
 */
export const markFills = (page: Page): Promise<void> =>
  page.evaluate<void>(`(() => {
    ${boxesOf}
    const isClear = (colour) => /^rgba\\(.*, 0\\)$/.test(colour)
    const under = (one) => {
      for (let at = one.parentElement; at !== null; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor
        if (!isClear(colour)) return colour
      }
    }
    for (const one of document.querySelectorAll('body *')) {
      const { backgroundColor } = getComputedStyle(one)
      const box = one.getBoundingClientRect()
      if (!one.checkVisibility() || box.width < 2 || box.height < 2) continue
      const isState = one.matches(states)
      if (!isState && (isClear(backgroundColor) || backgroundColor === under(one))) continue
      const isMark = one.innerText?.trim() === '' && one.childElementCount === 0
        && !one.matches('td')
      if (isMark || isState || isControl(one)) one.setAttribute('data-filled', '')
    }
  })()`)

/** What was marked, and looks like its surroundings where the person's colours replace ours. */
export const lostFills = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    ${boxesOf}
    return [...document.querySelectorAll('[data-filled]')].flatMap((one) => {
      const { backgroundColor, borderTopWidth, outlineStyle } = getComputedStyle(one)
      // All have the same border: what is current or chosen has more.
      const hasEdge = outlineStyle !== 'none'
        || !one.matches(states) && parseFloat(borderTopWidth) > 0
      const canvas = getComputedStyle(document.body).backgroundColor
      const isPainted = !/^rgba\\(.*, 0\\)$/.test(backgroundColor) && backgroundColor !== canvas
      return hasEdge || isPainted ? [] : [nameOf(one) + ' .' + one.className + ' has no edge']
    })
  })()`)

/** What can be focused and shows nothing when it is. */
export const unseenFocus = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    ${boxesOf}
    const focused = document.activeElement
    const canHaveFocus = (one) => isControl(one) && one.tabIndex >= 0 && !one.disabled
    const found = seen.filter(canHaveFocus).flatMap((one) => {
      one.focus({ focusVisible: true, preventScroll: true })
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      const isShown = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
      return isShown ? [] : [nameOf(one) + ' shows no focus']
    })
    focused?.focus()
    return found
  })()`)

/** The texts of the header of the docs for which there is no room. */
export const cutInHeader = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
  const product = document.querySelector('.product')
  const search = document.querySelector('search input')
  const { font, paddingLeft, paddingRight } = getComputedStyle(search)
  const room = search.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
  const pen = Object.assign(document.createElement('canvas').getContext('2d'), { font })
  return [
    ...(product.scrollWidth > product.clientWidth ? [product.innerText] : []),
    ...(pen.measureText(search.placeholder).width > room ? [search.placeholder] : []),
  ]
})()`)

/**
 * Texts that leave the frame or the cell around them, and tables of which a part is seen only after
 * scrolling. What is shortened or scrolls shows its text another way.
 */
export const leftFrames = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    ${boxesOf}
    const main = document.querySelector('main')
    const framed = (one) => {
      for (let at = one; at !== main; at = at.parentElement) {
        const { overflowX, borderLeftWidth, borderRightWidth } = getComputedStyle(at)
        if (overflowX !== 'visible') return null
        if (at.localName === 'td') return at
        if (parseFloat(borderLeftWidth) > 0 && parseFloat(borderRightWidth) > 0) return at
      }
      return null
    }
    const texts = seen.filter((one) => main.contains(one) && hasText(one)).flatMap((one) => {
      const frame = framed(one)?.getBoundingClientRect()
      if (frame === undefined) return []
      const leaves = rectsOf(one).some(
        (box) => box.width > 1 && (box.left < frame.left || box.right > frame.right))
      return leaves ? [nameOf(one) + ' leaves its frame'] : []
    })
    const tables = [...main.querySelectorAll('table')].flatMap((table) => {
      const { scrollWidth, clientWidth } = table.parentElement
      const hidden = scrollWidth - clientWidth
      return hidden > 1 ? [table.caption.innerText + ' hides ' + hidden + ' px'] : []
    })
    return [...texts, ...tables]
  })()`)
