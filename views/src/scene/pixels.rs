//! Films in pixels: APNG and GIF. Of each picture the part is written that differs from the one before.

use situ_words::say;

use super::{Film, Theme, svg};
use crate::chart::{PngError, Rasterizer};

/// Pixels per CSS pixel: a film is large enough as it is.
const SCALE: f32 = 1.0;

/// A part of a picture [pixels].
struct Part {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    /// Red, green and blue, row by row.
    colours: Vec<u8>,
}

/// Calls `each` with the size of the film and the part of each picture that is new.
fn each_part(
    film: &Film,
    mut each: impl FnMut([u32; 2], Part) -> Result<(), PngError>,
) -> Result<(), PngError> {
    let rasterizer = Rasterizer::new();
    let mut before: Option<([u32; 2], Vec<u8>)> = None;
    for picture in &film.pictures {
        let pixels = rasterizer.draw(&svg(picture, Theme::Light), SCALE)?;
        let size = before
            .as_ref()
            .map_or([pixels.width(), pixels.height()], |(size, _)| *size);
        if size != [pixels.width(), pixels.height()] {
            return Err(PngError::new(say!("plot-film-form")));
        }
        let data = pixels.data().to_vec();
        let old = before.as_ref().map(|(_, data)| data.as_slice());
        each(size, part(size, &data, old))?;
        before = Some((size, data));
    }
    Ok(())
}

/// The smallest rectangle outside of which two pictures are the same; all of the first one.
fn part([width, height]: [u32; 2], new: &[u8], old: Option<&[u8]>) -> Part {
    let row = 4 * width as usize;
    let (mut left, mut right, mut top, mut bottom) = (width, 0, height, 0);
    match old {
        None => (left, right, top, bottom) = (0, width, 0, height),
        Some(old) => {
            for (y, (a, b)) in (0_u32..).zip(new.chunks_exact(row).zip(old.chunks_exact(row))) {
                if a == b {
                    continue;
                }
                let differs = |(a, b): (&[u8], &[u8])| a != b;
                let pairs = || a.chunks_exact(4).zip(b.chunks_exact(4));
                let first = pairs().position(differs).unwrap_or_default();
                let last = pairs().rposition(differs).unwrap_or_default();
                left = left.min(first as u32);
                right = right.max(last as u32 + 1);
                top = top.min(y);
                bottom = y + 1;
            }
        }
    }
    if right <= left {
        // A picture has at least one pixel.
        (left, right, top, bottom) = (0, 1, 0, 1);
    }
    let rows = new
        .chunks_exact(row)
        .skip(top as usize)
        .take((bottom - top) as usize);
    let cut = |row: &[u8]| row[4 * left as usize..4 * right as usize].to_vec();
    let colours = rows.flat_map(cut).collect::<Vec<u8>>();
    Part {
        x: left,
        y: top,
        width: right - left,
        height: bottom - top,
        colours: colours
            .chunks_exact(4)
            .flat_map(|rgba| [rgba[0], rgba[1], rgba[2]])
            .collect(),
    }
}

/// For how long each picture is shown, in so many parts of a second: their sums are the times of the film, rounded.
fn pauses(film: &Film, parts: u16) -> impl Iterator<Item = u16> {
    let length = f64::from(parts) / film.rate;
    let time = move |picture: u32| (f64::from(picture) * length).round();
    (0..).map(move |picture| (time(picture + 1) - time(picture)) as u16)
}

fn failed(error: impl std::fmt::Display) -> PngError {
    PngError::new(error.to_string())
}

/// A film as an animated PNG file.
///
/// # Errors
///
/// A picture cannot be drawn, e.g. it is too large for memory.
pub fn apng(film: &Film) -> Result<Vec<u8>, PngError> {
    let mut out = Vec::new();
    write_apng(film, &mut out)?;
    Ok(out)
}

fn write_apng(film: &Film, out: &mut Vec<u8>) -> Result<(), PngError> {
    /// Parts of a second.
    const PARTS: u16 = 1000;
    let n = u32::try_from(film.pictures.len()).map_err(failed)?;
    let mut pauses = pauses(film, PARTS);
    let mut writer: Option<png::Writer<&mut Vec<u8>>> = None;
    let mut target = Some(out);
    each_part(film, |[width, height], part| {
        if let (None, Some(out)) = (&writer, target.take()) {
            let mut encoder = png::Encoder::new(out, width, height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_animated(n, 0).map_err(failed)?;
            writer = Some(encoder.write_header().map_err(failed)?);
        }
        let Some(writer) = &mut writer else {
            return Ok(());
        };
        let pause = pauses.next().unwrap_or_default();
        writer.set_frame_delay(pause, PARTS).map_err(failed)?;
        // At the place of the part before, this one may not fit.
        writer.reset_frame_position().map_err(failed)?;
        writer
            .set_frame_dimension(part.width, part.height)
            .map_err(failed)?;
        writer.set_frame_position(part.x, part.y).map_err(failed)?;
        writer.write_image_data(&part.colours).map_err(failed)
    })?;
    writer.map_or(Ok(()), |writer| writer.finish().map_err(failed))
}

/// A film as a GIF file.
///
/// # Errors
///
/// As [`apng`].
pub fn gif(film: &Film) -> Result<Vec<u8>, PngError> {
    let mut out = Vec::new();
    write_gif(film, &mut out)?;
    Ok(out)
}

fn write_gif(film: &Film, out: &mut Vec<u8>) -> Result<(), PngError> {
    /// How coarsely colours are chosen, from 1 to 30.
    const SPEED: i32 = 10;
    let mut pauses = pauses(film, 100);
    let mut encoder: Option<gif::Encoder<&mut Vec<u8>>> = None;
    let mut target = Some(out);
    each_part(film, |size, part| {
        let small = |side: u32| u16::try_from(side).map_err(failed);
        if let (None, Some(out)) = (&encoder, target.take()) {
            let [width, height] = size;
            let mut new =
                gif::Encoder::new(out, small(width)?, small(height)?, &[]).map_err(failed)?;
            new.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
            encoder = Some(new);
        }
        let Some(encoder) = &mut encoder else {
            return Ok(());
        };
        let (width, height) = (small(part.width)?, small(part.height)?);
        let mut frame = gif::Frame::from_rgb_speed(width, height, &part.colours, SPEED);
        (frame.left, frame.top) = (small(part.x)?, small(part.y)?);
        frame.delay = pauses.next().unwrap_or_default();
        frame.dispose = gif::DisposalMethod::Keep;
        encoder.write_frame(&frame).map_err(failed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_add_up_to_the_times_of_the_film() {
        for rate in [0.7, 12.0, 24.0, 30.0, 60.0, 70.0, 100.0] {
            let film = Film {
                pictures: Vec::new(),
                rate,
            };
            for (parts, pictures) in [(100, 250), (1000, 250)] {
                let all: f64 = pauses(&film, parts).take(pictures).map(f64::from).sum();
                let known = f64::from(parts) * pictures as f64 / rate;
                assert!((all - known).abs() <= 0.5, "{rate}: {all}, not {known}");
            }
        }
    }

    #[test]
    fn parts_hold_what_is_new() {
        let mut old = vec![255_u8; 4 * 5 * 4];
        let size = [5, 4];
        assert_eq!(part(size, &old, None).colours.len(), 3 * 5 * 4);
        let before = old.clone();
        for (x, y) in [(1, 1), (3, 2)] {
            old[4 * (5 * y + x)] = 0;
        }
        let found = part(size, &old, Some(&before));
        assert_eq!([found.x, found.y, found.width, found.height], [1, 1, 3, 2]);
        assert_eq!(found.colours.len(), 3 * 3 * 2);
        let same = part(size, &before, Some(&before));
        assert_eq!((same.width, same.height), (1, 1));
    }
}
