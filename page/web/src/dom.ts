// Elements: made of names, properties and children; every text is put in as text.

type Child = Node | string | null | undefined | false;
type Props = { [name: string]: string | number | boolean | undefined | ((event: never) => void) };

/** An element. `onclick` and the like are listeners, `class` and the rest attributes; `false` leaves one out. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value as EventListener);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  put(made, ...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function s<K extends keyof SVGElementTagNameMap>(tag: K, props: { [name: string]: string | number } = {}, ...children: Node[]): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Puts these children into an element, in the place of those that it has. */
export function put(into: Element, ...children: Child[]): void {
  into.replaceChildren(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
}

/** A number as people read it. */
export function shown(value: number | string | null | undefined, digits = 6): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (value === 0 || Object.is(value, -0)) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(digits)));
}

/** Calls a function when nothing has asked for it for a while. */
export function later(wait: number, run: () => void): () => void {
  let timer: number | undefined;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(run, wait);
  };
}

/** The value of a variable of the style sheet: a canvas takes no `var(..)`. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}

/** The colour of the nth curve. */
export const curveColour = (index: number): string => colour(`--curve-${(index % 8) + 1}`);

const ICONS = {
  start: "M5 4v12M16 4.5v11L7 10z",
  back: "M13.5 4.5v11L5 10z",
  play: "M6 4v12l10-6z",
  pause: "M6.5 4.5v11M13.5 4.5v11",
  step: "M6.5 4.5v11L15 10z",
  next: "M3 10h8M8 6l4 4-4 4M16 4v12",
  end: "M15 4v12M4 4.5v11l9-5.5z",
  until: "M3 10h7M7 6.5l3.5 3.5L7 13.5M14 5.5a4.5 4.5 0 0 1 0 9z",
  backUntil: "M17 10h-7M13 6.5 9.5 10l3.5 3.5M6 5.5a4.5 4.5 0 0 0 0 9z",
  close: "M5.5 5.5l9 9M14.5 5.5l-9 9",
  edit: "M4 16l1-4 8.500-8.500 3 3L8 15z",
  theme: "M10 3.500a6.500 6.500 0 1 0 0 13zM10 3.500a6.500 6.500 0 0 1 0 13",
} as const;

export type Icon = keyof typeof ICONS;

/** A drawn sign. */
export const icon = (name: Icon): SVGElement => s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, class: `icon icon-${name}`, "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
